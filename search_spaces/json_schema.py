"""The JSON Schema of a space.yaml, from which editors complete."""

from typing import Any

from pydantic.json_schema import GenerateJsonSchema, JsonSchemaWarningKind

from search_spaces.fields import REGISTER_CAP
from search_spaces.limits import MAX_REGISTER_CAP
from search_spaces.schema import SpaceFile

_REGISTER_CAPS = {
    "type": "array",
    "items": {
        "anyOf": [{"type": "integer", "minimum": 1, "maximum": MAX_REGISTER_CAP}, {"enum": ["none", None]}]
    },
    "minItems": 1,
    "uniqueItems": True,
}


class _Generator(GenerateJsonSchema):
    """Leaves out defaults that JSON does not have, such as expressions."""

    ignored_warning_kinds: set[JsonSchemaWarningKind] = {"non-serializable-default"}  # noqa: RUF012, as in the base


def space_schema() -> dict[str, Any]:
    """The schema; what depends on several fields is checked when a space is loaded."""
    schema = SpaceFile.model_json_schema(schema_generator=_Generator)
    schema["properties"]["parameters"]["properties"] = {REGISTER_CAP: _REGISTER_CAPS}
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **schema, "title": "space.yaml"}
