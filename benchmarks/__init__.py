"""Programs that answer a question with a figure: of speed, of faults, of agreement with silicon.

The servers that they start and kill are those of the tests: the package `testing`.
"""

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[1] / "tests"))
