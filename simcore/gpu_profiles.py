"""GPU profiles: read `gpus/<name>.yaml`, find one by name, override its numbers.

A file may name a `base` and then states only what differs. All derive from the H200, because that is the measured GPU.
`load_gpu` can override any number ("what if it had eight schedulers?"), by keyword or in words.
"""

from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Annotated, Any

import yaml
from pydantic import TypeAdapter, ValidationError

from simcore.errors import SimcoreError, UnknownGpu, did_you_mean
from simcore.gpu import Gpu, check_field, meant_field
from simcore.gpu_conditions import refusals
from simcore.gpu_overrides import NUMBERS, gpu_in_words, parse_gpu

PROFILES = Path(__file__).parent / "gpus"
DEPTH = 4
"""Nesting of a profile's text at most: the file, an entry, a list of sizes."""

_LOADER = getattr(
    yaml, "CSafeLoader", yaml.SafeLoader
)  # libyaml's is ten times as fast; not every build has it


def gpu_names() -> tuple[str, ...]:
    """The names of all profiles, sorted."""
    return tuple(sorted(path.stem for path in PROFILES.glob("*.yaml")))


def load_gpu(name: str | Gpu, **overrides: Any) -> Gpu:
    """A GPU by name, with overrides.

    Args:
        name: one of `gpu_names()`, with overrides in words perhaps (`h100-sxm,sms=144`), or a profile to start from.
        overrides: fields of `Gpu` by name, in the field's unit. A GPU that does not exist is labelled "what if":
            any override that changes a value sets the label, unless the label is overridden too.

    Raises:
        UnknownGpu: no such profile, or no such field.
        SimcoreError: a value that a field cannot take.
    """
    if isinstance(name, str):
        known, in_words = parse_gpu(name)
        profile, overrides = _known_profile(known), in_words | overrides
    elif isinstance(name, Gpu):
        profile = name
    else:
        raise UnknownGpu(f"{name!r} is no GPU; give a name such as h200, or a profile")
    for field in overrides:
        check_field(field)
    changes = {field: value for field, value in overrides.items() if value != getattr(profile, field)}
    if not changes:
        return profile
    changes = {"label": "what if", **changes}
    values = {**profile.model_dump(), **changes}
    sources = {**profile._sources, **dict.fromkeys(changes, "override")}
    return _build(values, sources, f"{profile.name} with overrides")


def with_overrides(gpu: str, overrides: Mapping[str, float]) -> str:
    """A GPU in words with more overrides, without those that change nothing; the same text for the same GPU.

    Raises:
        UnknownGpu: no such profile, or no such field.
        SimcoreError: a value that a field cannot take.
    """
    name, in_words = parse_gpu(gpu)
    changes = in_words | dict(overrides)
    base, changed = _known_profile(name), load_gpu(name, **changes)
    return gpu_in_words(
        name,
        {field: value for field, value in changes.items() if getattr(changed, field) != getattr(base, field)},
    )


def read_profile(path: Path) -> Gpu:
    """Read a profile file.

    Args:
        path: a YAML file: `name`, optionally `base` (a file beside it, or one of `gpu_names()`), then each
            field as `{value: ..., unit: ..., source: ...}`.

    Raises:
        SimcoreError: everything that is wrong with the file, one problem per line.
    """
    document = _read_yaml(path)
    base = _read_base(path, document.pop("base", None))
    return _profile(document, base, path.stem, str(path))


def read_profile_text(text: str, name: str) -> Gpu:
    """A profile from a stranger, whose `base` is one of `gpu_names()`.

    Raises:
        UnknownGpu: there is no such base.
        SimcoreError: everything else that is wrong with the text.
    """
    return _read_text(text, name)[0]


def profile_text_in_words(text: str, name: str) -> str:
    """A profile from a stranger as its base with overrides; raises as `read_profile_text` does."""
    return _in_words(*_read_text(text, name), name)


def _read_text(text: str, name: str) -> tuple[Gpu, Gpu]:
    """A stranger's profile, and its base."""
    document = _parse(text, name)
    base = document.pop("base", None)
    if not isinstance(base, str):
        raise _no_base(name)
    known = _known_profile(base)
    return _profile(document, known, name, name), known


def _profile(document: dict[str, Any], base: Gpu | None, stem: str, origin: str) -> Gpu:
    """The profile of a file's entries without `base`, which was read already."""
    name = document.pop("name", None)
    problems = list(_problems(document, base))
    if name != stem:
        problems.append(f"name: is {name!r}; write the file's own name, {stem!r}")
    if problems:
        problems += _impossible_values(document)
        raise SimcoreError(
            "\n".join([f"{origin} is not a GPU profile:", *(f"  {line}" for line in problems)])
        )

    values = base.model_dump() if base else {}
    values |= {"name": name, **{field: entry["value"] for field, entry in document.items()}}
    sources = {"name": "the profile's file"}
    if base:
        sources |= {field: _inherited(base, field) for field in values if field not in ("name", *document)}
    sources |= {field: entry["source"] for field, entry in document.items()}
    return _build(values, sources, origin)


def read_gpu(text: str) -> Gpu:
    """A GPU as a command line names it: a known one or the file of a profile, with overrides perhaps.

    Raises:
        UnknownGpu, SimcoreError: as for `load_gpu` and `read_profile`.
    """
    name, overrides = parse_gpu(text)
    return load_gpu(read_profile(Path(name)) if name.endswith((".yaml", ".yml")) else name, **overrides)


def profile_in_words(path: Path) -> str:
    """A profile of one's own as a known GPU with overrides, which other machines understand without the file.

    Raises:
        SimcoreError: the file is no profile, derives from no known GPU, or states what words cannot.
    """
    gpu, file = read_profile(path), path
    while (base := _read_yaml(file).get("base")) is not None and file.with_name(f"{base}.yaml").exists():
        file = file.with_name(f"{base}.yaml")
    if base is None:
        raise _no_base(str(path))
    return _in_words(gpu, _known_profile(base), str(path))


def _in_words(gpu: Gpu, known: Gpu, origin: str) -> str:
    changed = [field for field in Gpu.model_fields if getattr(gpu, field) != getattr(known, field)]
    if beyond := [field for field in changed if field not in (*NUMBERS, "name", "label")]:
        raise SimcoreError(
            f"{origin}: {beyond[0]} is not a single number, which cannot be sent without the file"
        )
    return gpu_in_words(known.name, {field: getattr(gpu, field) for field in changed if field in NUMBERS})


def _no_base(origin: str) -> SimcoreError:
    return SimcoreError(f"{origin}: derives from no known GPU; add `base:`, one of {', '.join(gpu_names())}")


@cache
def _known_profile(name: str) -> Gpu:
    names = gpu_names()
    if name not in names:
        raise UnknownGpu(f"no GPU named {name!r}{did_you_mean(name, names)} (there are {', '.join(names)})")
    return read_profile(PROFILES / f"{name}.yaml")


def _read_yaml(path: Path) -> dict[str, Any]:
    if not path.is_file():
        raise SimcoreError(f"{path}: there is no such file")
    try:
        document = yaml.load(path.read_text(), _LOADER)
    except yaml.YAMLError as error:
        raise SimcoreError(f"{path} is not valid YAML: {error}") from error
    return _entries(document, str(path))


def _parse(text: str, origin: str) -> dict[str, Any]:
    """The entries of a stranger's text, without what could take more time or memory than its length shows."""
    depth = 0
    try:
        for event in yaml.parse(text, _LOADER):
            depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
            if depth > DEPTH or isinstance(event, yaml.AliasEvent):
                raise SimcoreError(
                    f"{origin}: has an alias or is nested too deeply; write one entry per field"
                )
        document = yaml.load(text, _LOADER)
    except (yaml.YAMLError, ValueError) as error:
        raise SimcoreError(f"{origin} is not valid YAML: {error}") from error
    return _entries(document, origin)


def _entries(document: Any, origin: str) -> dict[str, Any]:
    if not isinstance(document, dict):
        raise SimcoreError(f"{origin} is not a GPU profile: write `name:` and one entry per field")
    return {str(field): entry for field, entry in document.items()}


def _read_base(path: Path, base: str | None) -> Gpu | None:
    if base is None:
        return None
    if base == path.stem:
        raise SimcoreError(f"{path}: base: a profile cannot be its own base")
    beside = path.with_name(f"{base}.yaml")
    return read_profile(beside) if beside.exists() else _known_profile(base)


def _problems(document: Mapping[str, Any], base: Gpu | None) -> Iterator[str]:
    """The problems of a profile's entries, each as `field: problem; fix`."""
    for field, entry in document.items():
        if field not in Gpu.model_fields:
            yield f"{field}: no such field{meant_field(field)}"
        elif not isinstance(entry, dict) or "value" not in entry:
            yield f"{field}: has no value; write {{value: ..., unit: {Gpu.unit(field)}, source: ...}}"
        else:
            if entry.get("unit") != Gpu.unit(field):
                yield f"{field}: unit is {entry.get('unit')!r}; give it in {Gpu.unit(field)!r}"
            if not entry.get("source"):
                yield f"{field}: has no source; say where {entry['value']} comes from"
            for key in entry.keys() - {"value", "unit", "source"}:
                yield f"{field}: {key!r} is not one of value, unit, source"
    # A label applies to one GPU only, so it is never inherited.
    needed = {"label"} if base else Gpu.model_fields.keys() - {"name"}
    for field in Gpu.model_fields:
        if field in needed and field not in document:
            yield f"{field}: is missing; add {{value: ..., unit: {Gpu.unit(field)}, source: ...}}"


def _impossible_values(document: Mapping[str, Any]) -> Iterator[str]:
    """The values of a profile's entries that their fields cannot take, whatever the others are."""
    for field, entry in document.items():
        if field in Gpu.model_fields and isinstance(entry, dict) and "value" in entry:
            info = Gpu.model_fields[field]
            kind: Any = Annotated[info.annotation, info]
            try:
                TypeAdapter(kind).validate_python(entry["value"])
            except ValidationError as error:
                for each in error.errors():
                    yield f"{field}: {each['input']!r} is not possible; {_limit(each['msg'])}"


def _inherited(base: Gpu, field: str) -> str:
    source = base.source(field)
    return source if source.startswith("as the ") else f"as the {base.name}: {source}"


def _build(values: Mapping[str, Any], sources: dict[str, str], origin: str) -> Gpu:
    try:
        gpu = Gpu.model_validate(values)
    except ValidationError as error:
        limits = [(".".join(map(str, e["loc"])), e["input"], _limit(e["msg"])) for e in error.errors()]
        raise _impossible(origin, limits) from error
    if found := [(field, getattr(gpu, field), reason) for field, reason in refusals(gpu)]:
        raise _impossible(origin, found)
    gpu._sources = sources
    return gpu


def _limit(message: str) -> str:
    """Pydantic's message about a field's limit, in our wording."""
    return message.replace("Input should be", "must be").partition(", unable to parse")[0]


def _impossible(origin: str, found: Iterable[tuple[str, Any, str]]) -> SimcoreError:
    lines = [f"  {field}: {value!r} is not possible; {reason}" for field, value, reason in found]
    return SimcoreError("\n".join([f"{origin}: no GPU can be like this:", *lines]))
