"""Scorers are programs, flattened into one folder when they run: the same names are importable here."""

import sys
from pathlib import Path

SCORERS = Path(__file__).resolve().parents[2] / "scorers"
for folder in (SCORERS / "common", SCORERS / "common" / "shim", SCORERS / "kernel"):
    sys.path.insert(0, str(folder))
