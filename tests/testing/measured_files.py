"""Files of measurements: samples of every tool's, and the catalog's on an H200."""

from pathlib import Path

from testing.silicon_data import FOLDER

SAMPLES = Path(__file__).parents[1] / "simcore" / "data" / "measurements"
CATALOG = FOLDER / "catalog.jsonl.gz"
