"""What a recipe is told, and how it reports (standard library alone)."""

import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any


@dataclass(frozen=True, slots=True)
class Job:
    """One making of a recipe.

    Attributes:
        needs: Folder `public` of each recipe that this one builds on, by name.
        needs_private: Their folders `private`, likewise.
        parameters: The recipe's row of the manifest.
    """

    needs: Mapping[str, Path]
    needs_private: Mapping[str, Path]
    parameters: Mapping[str, Any]


class RecipeError(Exception):
    """A recipe cannot go on; the message is one line that says what to do."""


def say(line: str) -> None:
    """Report progress, one line a call."""
    sys.stdout.write(line + "\n")
    sys.stdout.flush()
