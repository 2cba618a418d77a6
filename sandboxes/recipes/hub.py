"""Recipe of what comes from a hub: a repository's files at a pinned revision.

huggingface_hub resumes interrupted downloads and honours HF_ENDPOINT (a mirror), HF_HUB_CACHE and HF_TOKEN.
"""

import shutil
from pathlib import Path
from typing import Any

from huggingface_hub import HfApi, snapshot_download
from huggingface_hub.errors import HTTPError

from recipes.job import Job, RecipeError, say


def prepare(raw: Path, public: Path, private: Path, job: Job) -> dict[str, Any]:
    """Fetch the named files of a repository.

    Parameters of the job: `repository`, `kind` (model or dataset), `revision`, `files` (paths in it), `hidden` (true:
    they are the scorer's alone).

    Returns:
        The commit that the revision named.

    Raises:
        RecipeError: No network, no such revision, or a file is missing in it.
    """
    folder, commit = fetched(raw, job.parameters, job.parameters["files"])
    target = private if job.parameters["hidden"] else public
    for name in job.parameters["files"]:
        if not (folder / name).is_file():
            raise RecipeError(f"{job.parameters['repository']} at {commit[:12]} has no {name}; mend the manifest's row")
        (target / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(folder / name, target / name)
    shutil.rmtree(folder)
    return {"repository": job.parameters["repository"], "commit": commit}


def fetched(raw: Path, row: dict[str, Any], patterns: list[str]) -> tuple[Path, str]:
    """Download what matches `patterns` below `raw` and return its folder and the commit.

    Raises:
        RecipeError: It cannot be downloaded; the line says what to do without network.
    """
    repository, kind, revision = row["repository"], row["kind"], row["revision"]
    folder = raw / "repository"
    say(f"{repository} at {revision}: {', '.join(patterns)}")
    try:
        commit = HfApi().repo_info(repository, repo_type=kind, revision=revision).sha
        snapshot_download(
            repository, repo_type=kind, revision=commit, local_dir=folder, allow_patterns=patterns, max_workers=4
        )
    except (HTTPError, OSError) as error:
        first = next(iter(str(error).strip().splitlines()), type(error).__name__)
        raise RecipeError(
            f"cannot fetch {repository} at {revision} ({first}); without network use --scale single or mini, whose "
            "assets are made offline from packages, or name a mirror in HF_ENDPOINT"
        ) from error
    return folder, str(commit)
