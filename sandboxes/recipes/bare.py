"""Recipes on a machine that has torch and a checkout but not the host package: `python -m recipes.bare SCALE FOLDER`.

Standard library alone, besides what the recipes import. FOLDER gets the layout that `rebench-inspect assets` keeps
(`public/`, `private/`, `raw/`, a folder each); what lies there already is not made again, so assets that were made
elsewhere are unpacked into it first.
"""

import argparse
import json
import sys
import tomllib
from pathlib import Path
from typing import Any

from recipes import make
from recipes.job import say

_MANIFEST = Path(__file__).parents[1] / "assets.toml"


def rows(scale: str) -> list[dict[str, Any]]:
    """Return the recipes of a scale in an order of making."""
    return [row for row in tomllib.loads(_MANIFEST.read_text(encoding="utf-8"))["recipe"] if row["scale"] == scale]


def is_made(row: dict[str, Any], folder: Path) -> bool:
    """Say whether all assets of a recipe are there; their contents are not checked."""
    sides = {"agent": "public", "scorer": "private"}
    return all((folder / sides[asset["visibility"]] / row["name"] / asset["file"]).is_file() for asset in row["assets"])


def run(row: dict[str, Any], folder: Path) -> int:
    """Run one recipe; return its exit status."""
    own = {side: folder / side / row["name"] for side in ("raw", "public", "private")}
    for path in own.values():
        path.mkdir(parents=True, exist_ok=True)
    for side in ("private", "raw"):  # checkpoints of hidden models lie in raw
        (folder / side).chmod(0o700)
    needs = row.get("needs", [])
    job = {
        "program": row["program"],
        **{side: str(path) for side, path in own.items()},
        "needs": {name: str(folder / "public" / name) for name in needs},
        "needs_private": {name: str(folder / "private" / name) for name in needs},
        "parameters": row.get("parameters", {}),
    }
    job_file = own["raw"] / "job.json"
    job_file.write_text(json.dumps(job), encoding="utf-8")
    status = make.main(str(job_file))
    for path in own["public"].rglob("*"):  # safetensors closes its files to everybody else
        path.chmod(0o755 if path.is_dir() else 0o644)
    return status


def main() -> int:
    """Run what the command line names; return the first exit status that is not 0."""
    parser = argparse.ArgumentParser(prog="python -m recipes.bare", description=__doc__)
    parser.add_argument("scale")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--only", nargs="*", default=[], help="names of recipes; all where it is left out")
    chosen = parser.parse_args()
    for row in rows(chosen.scale):
        if chosen.only and row["name"] not in chosen.only:
            continue
        if is_made(row, chosen.folder):
            say(f"{row['name']}: there")
            continue
        say(f"{row['name']}: making")
        if status := run(row, chosen.folder):
            return status
    return 0


if __name__ == "__main__":
    sys.exit(main())
