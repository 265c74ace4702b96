"""What tells requests and spaces apart."""

import hashlib
import json
from typing import Any


def hex_digest(content: Any) -> str:
    """The hex digest of what JSON can say."""
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()
