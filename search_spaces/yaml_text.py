"""Parses the text of a space.yaml into its raw fields; refuses texts that would expand excessively."""

import math
from collections.abc import Hashable
from typing import Any

import yaml

from search_spaces.errors import Problem, SpaceError
from search_spaces.limits import MAX_YAML_BYTES, MAX_YAML_NODES


def parse_yaml(text: str, where: str) -> tuple[dict[str, Any], list[Problem]]:
    """The fields of the file, and its duplicate keys.

    Raises:
        SpaceError: the text is not YAML, or not a mapping.
    """
    if len(text.encode(errors="replace")) > MAX_YAML_BYTES:
        raise SpaceError([Problem(f"larger than {MAX_YAML_BYTES} bytes; list fewer values")], where)
    try:
        loader = _Loader(text)
        root = loader.get_single_node()
        if root is not None and _expanded(root, {}) > MAX_YAML_NODES:
            raise SpaceError([Problem("aliases make it too large; write out what they stand for")], where)
        raw = None if root is None else loader.construct_document(root)
    except yaml.YAMLError as error:
        raise SpaceError([Problem(f"not a readable YAML file: {error}")], where) from None
    except RecursionError:
        raise SpaceError([Problem("not a readable YAML file: nested too deeply")], where) from None
    except (ValueError, OverflowError) as error:  # an impossible date, a number of 5,000 digits
        raise SpaceError(
            [Problem(f"not a readable YAML file: it contains an invalid value ({error})")], where
        ) from None
    if not isinstance(raw, dict):
        raise SpaceError(
            [Problem("not a space: write the fields kernel, parameters, gpu, launch, arguments")], where
        )
    return {str(key): value for key, value in raw.items()}, loader.problems


class _Loader(yaml.SafeLoader):
    """A safe YAML loader that records duplicate keys, of which plain YAML silently keeps the last."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.problems: list[Problem] = []

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Hashable, Any]:
        seen: set[str] = set()
        for key, _ in node.value:
            name = str(key.value)
            if name in seen:
                line = key.start_mark.line + 1
                self.problems.append(Problem(f"{name} is declared twice; keep one", line=line))
            seen.add(name)
        return super().construct_mapping(node, deep)


def _expanded(node: yaml.Node, sizes: dict[int, float]) -> float:
    """Number of values of a node with all aliases expanded; infinite if one refers to itself."""
    if id(node) not in sizes:
        sizes[id(node)] = math.inf
        is_mapping = isinstance(node, yaml.MappingNode)
        parts = [part for pair in node.value for part in pair] if is_mapping else node.value
        is_scalar = isinstance(node, yaml.ScalarNode)
        sizes[id(node)] = 1 + (0 if is_scalar else sum(_expanded(part, sizes) for part in parts))
    return sizes[id(node)]
