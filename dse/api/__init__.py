"""The HTTP API: routes over the service, errors as problem details, tokens, metrics."""

from dse.api.app import create_app

__all__ = ["create_app"]
