"""The JSON Schema of a space.yaml, from which editors complete."""

from typing import Any

from pydantic.json_schema import GenerateJsonSchema, JsonSchemaWarningKind

from search_spaces.schema import SpaceFile


class _Generator(GenerateJsonSchema):
    """Leaves out defaults that JSON does not have, such as expressions."""

    ignored_warning_kinds: set[JsonSchemaWarningKind] = {"non-serializable-default"}  # noqa: RUF012, as in the base


def space_schema() -> dict[str, Any]:
    """The schema; what depends on several fields is checked when a space is loaded."""
    schema = SpaceFile.model_json_schema(schema_generator=_Generator)
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **schema, "title": "space.yaml"}
