"""The files of a sweep's run at its start: the request."""

import json
from base64 import b64decode
from dataclasses import asdict
from pathlib import Path

from dse.store import SweepRecord


def add_question(folder: Path, sweep: SweepRecord) -> None:
    """The request: `sweep.json`, and the original space, source and other files."""
    question = asdict(sweep.spec)
    head = {"id": sweep.key, "created_at": sweep.created_at.isoformat()}
    (folder / "space.yaml").write_text(question.pop("space_yaml"))
    (folder / Path(sweep.spec.source_file).name).write_text(question.pop("source"))
    files = {name: b64decode(content) for name, content in question.pop("files").items()}
    for name, content in (
        {name: header.encode() for name, header in sweep.spec.headers.items()} | files
    ).items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    (folder / "sweep.json").write_text(json.dumps(head | question, indent=2) + "\n")
