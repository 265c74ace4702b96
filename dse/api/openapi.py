"""The OpenAPI document: what a docstring says of each attribute describes that property."""

import re
from collections.abc import Iterator
from inspect import getdoc
from typing import Any

from fastapi import FastAPI

from dse.store import Trial

#: Models whose docstrings leave some attributes to the class that they extend.
BASES = {"TrialRecord": Trial}
#: Before the attributes in a docstring, and each of them: names, then what they are, perhaps over several lines.
_ATTRIBUTES = "Attributes:"
_ATTRIBUTE = re.compile(r"^ {4}(\w[\w, ]*): (.+(?:\n {5,}.+)*)", re.MULTILINE)


class Api(FastAPI):
    """An application whose OpenAPI document describes the properties of its schemas."""

    def openapi(self) -> dict[str, Any]:
        """The document, made once."""
        if self.openapi_schema is None:
            for name, schema in super().openapi()["components"]["schemas"].items():
                _describe(schema, getdoc(BASES[name]) if name in BASES else None)
        assert self.openapi_schema is not None
        return self.openapi_schema


def _describe(schema: dict[str, Any], base: str | None) -> None:
    """Move what a schema's description, and its base's, says of the attributes to the properties."""
    own = schema.get("description", "")
    told = {**dict(_attributes(base or "")), **dict(_attributes(own))}
    for name, described in schema.get("properties", {}).items():
        if name in told:
            described.setdefault("description", told[name])
    if _ATTRIBUTES in own:
        schema["description"] = own.partition(_ATTRIBUTES)[0].rstrip()


def _attributes(docstring: str) -> Iterator[tuple[str, str]]:
    """Each attribute of a docstring with a sentence about it, in the words of JSON."""
    for names, words in _ATTRIBUTE.findall(docstring.partition(_ATTRIBUTES)[2]):
        sentence = re.sub(r"\bNone\b", "null", re.sub(r"\s+", " ", words))
        for name in names.split(", "):
            yield name, sentence[0].upper() + sentence[1:]
