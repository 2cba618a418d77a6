"""Entry point of recipes: `python -m recipes.make JOB.json`, started by `rebench_inspect.asset_making`.

The job file holds `program`, `raw`, `public`, `private`, `needs`, `needs_private`, `parameters`; figures of what was
made (losses, counts, seconds) go to `figures.json` in `raw`.
"""

import importlib
import json
import os
import sys
import time
from pathlib import Path

from recipes.job import Job, RecipeError


def main(job_file: str) -> int:
    """Run one recipe; return the exit status: 0 made, 3 a `RecipeError` whose line stands on standard error."""
    text = json.loads(Path(job_file).read_text(encoding="utf-8"))
    raw, public, private = (Path(text[name]) for name in ("raw", "public", "private"))
    needs, hidden = ({name: Path(folder) for name, folder in text[key].items()} for key in ("needs", "needs_private"))
    os.umask(0o022)
    began = time.monotonic()
    try:
        program = importlib.import_module(f"recipes.{text['program']}")
        figures = program.prepare(raw, public, private, Job(needs, hidden, text["parameters"]))
    except RecipeError as error:
        sys.stderr.write(f"{error}\n")
        return 3
    figures["seconds"] = round(time.monotonic() - began, 1)
    (raw / "figures.json").write_text(json.dumps(figures, indent=1) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
