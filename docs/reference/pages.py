"""The pages of the site that are made from the code: commands, HTTP and the fields of a space.

MkDocs calls `on_files` and `on_page_markdown`, as `mkdocs.yml` says.
"""

import json
import re
from collections.abc import Iterator, Mapping
from tempfile import TemporaryDirectory
from typing import Any

import typer
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page
from typer.cli import get_docs_for_click

import dse.cli
import simcore.cli
from dse.api import create_app
from dse.requests.preflight import CHECKS
from dse.store import Store
from search_spaces.json_schema import space_schema

#: A link out of the folder of the documentation, which the site does not have.
OUTSIDE = re.compile(r"\[([^\]]+)\]\(\.\./[^)]*\)")
NAMELESS = "object"


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the pages that are made from the code."""
    schema = space_schema()
    made = {
        "reference/dse.md": _commands(dse.cli.app, "dse"),
        "reference/simcore.md": _commands(simcore.cli.app, "simcore"),
        "reference/http.md": "\n".join(_http(_openapi())),
        "reference/space.md": "\n".join(_space(schema)),
        "reference/space.schema.json": json.dumps(schema, indent=2),
    }
    for path, content in made.items():
        files.append(File.generated(config, path, content=content))
    return files


def on_page_markdown(markdown: str, page: Page, **_: object) -> str:
    """Leave the names of files outside of the documentation, without their links."""
    return OUTSIDE.sub(r"\1", markdown)


def _commands(app: typer.Typer, name: str) -> str:
    """Every command with its arguments and options."""
    command = typer.main.get_command(app)
    return get_docs_for_click(obj=command, ctx=typer.Context(command), name=name)


def _openapi() -> Mapping[str, Any]:
    """The OpenAPI schema of the server, which needs a store to exist."""
    with TemporaryDirectory() as folder:
        return create_app(Store.open(f"{folder}/dse.db"), CHECKS).openapi()


def _http(api: Mapping[str, Any]) -> Iterator[str]:
    """Every route with its parameters and answers."""
    yield f"# HTTP\n\n{api['info']['description']}\n"
    for path, methods in api["paths"].items():
        for method, operation in methods.items():
            yield f"## `{method.upper()} {path}`\n\n{operation.get('description', '')}\n"
            parameters = operation.get("parameters", [])
            if parameters:
                yield "| parameter | in | type | |\n|---|---|---|---|"
            for each in parameters:
                kind, words = _type(each["schema"]), _cell(each.get("description", ""))
                yield f"| `{each['name']}` | {each['in']} | {kind} | {words} |"
            if body := operation.get("requestBody"):
                (content,) = body["content"].values()
                yield f"\nBody: {_type(content['schema'])}\n"
            answers = {code: answer for code, answer in operation["responses"].items() if code < "300"}
            for code, answer in answers.items():
                content = answer.get("content", {}).get("application/json", {}).get("schema")
                yield f"\nAnswer: {code}" + (f", {_type(content)}" if content else "") + "\n"
    yield from _objects(api["components"]["schemas"])


def _space(schema: Mapping[str, Any]) -> Iterator[str]:
    """The fields of a space.yaml."""
    yield "# Fields of a space\n\n[space.schema.json](space.schema.json) is what `dse space schema` prints.\n"
    yield from _objects({"space.yaml": schema, **schema["$defs"]})


def _objects(schemas: Mapping[str, Mapping[str, Any]]) -> Iterator[str]:
    """The fields of each object."""
    for name, schema in schemas.items():
        if "properties" not in schema:
            continue
        yield f"\n## {name} {{ #{_anchor(name)} }}\n\n{schema.get('description', '')}\n"
        yield "| field | type | |\n|---|---|---|"
        for field, own in schema["properties"].items():
            words = ["required."] if field in schema.get("required", ()) else []
            words.append(_cell(own.get("description", "")))
            yield f"| `{field}` | {_type(own)} | {' '.join(words).strip()} |"


def _type(schema: Mapping[str, Any]) -> str:
    """A JSON type in words, with links to objects."""
    if reference := schema.get("$ref"):
        name = reference.rpartition("/")[2]
        return f"[{name}](#{_anchor(name)})"
    if choices := schema.get("anyOf") or schema.get("oneOf"):
        return " or ".join(dict.fromkeys(map(_type, choices)))
    if "enum" in schema:
        return ", ".join(f"`{value}`" for value in schema["enum"])
    kind = schema.get("type", NAMELESS)
    if kind == "array":
        return f"list of {_type(schema.get('items', {}))}"
    if kind == "object" and isinstance(schema.get("additionalProperties"), Mapping):
        return f"map to {_type(schema['additionalProperties'])}"
    return " or ".join(kind) if isinstance(kind, list) else str(kind)


def _anchor(name: str) -> str:
    return re.sub(r"\W+", "-", name.lower()).strip("-")


def _cell(text: str) -> str:
    """A description in one line of a table, where `<` before a letter is not a tag."""
    return re.sub(r"<(?=\w)", "&lt;", " ".join(text.split()).replace("|", "\\|"))
