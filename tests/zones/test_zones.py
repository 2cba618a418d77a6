"""The rules that keep the trust zones apart: names agree, no import crosses, every revealing file has its canary."""

import ast
import re
from pathlib import Path

import pytest

from rebench_inspect import paths, tasks
from rebench_inspect.environments import CANARY, ENVIRONMENTS, KERNEL

ROOT = Path(__file__).resolve().parents[2]
BUILT = sorted(row.slug for row in ENVIRONMENTS if row.scales)
HOST_ORDER = [
    "rows", "published", "environments", "errors", "paths", "bundle", "verdict", "ledger", "anchors", "messages",
    "assets", "asset_store", "asset_making", "asset_commands",
    "build_inputs", "base_image", "images", "compose", "machine_made", "local_sandbox",
    "sandbox", "measuring", "scoring", "agents",
    "tasks", "cases", "bare_machine", "bare_record", "bare", "check", "demo", "_registry", "cli",
]  # fmt: skip
"""A host module may import only modules before it."""


def folders(where: str) -> list[str]:
    return sorted(
        path.name for path in (ROOT / where).iterdir() if path.is_dir() and not path.name.startswith(("_", "."))
    )


def imports(path: Path) -> set[str]:
    """Return the modules that a file imports, also inside functions."""
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            names.add(node.module)
            names |= {f"{node.module}.{alias.name}" for alias in node.names}
    return names


def test_names_agree_across_zones() -> None:
    """One environment has one name: in the table, the tasks and every zone's folders, and a page in docs."""
    assert sorted(tasks.TASKS) == BUILT
    for where in ("tasks", "scorers", "sandboxes", "references", "tests/environments"):
        assert [name for name in folders(where) if name not in ("common", "base", "recipes")] == BUILT, where
    for slug in BUILT:
        assert (ROOT / "docs" / "environments" / f"{slug}.md").is_file()


def test_programs_that_travel_alone_carry_the_same_training() -> None:
    """Each known solution is a folder of its own; what two of them share is the same file."""
    reference, frontier = (ROOT / "references" / "fix_embedding" / name for name in ("reference", "frontier"))
    assert (reference / "training.py").read_bytes() == (frontier / "training.py").read_bytes()


@pytest.mark.parametrize("zone", ["tasks", "scorers", "references"])
def test_no_zone_imports_another(zone: str) -> None:
    """Code of the agent, trusted and reference zones imports neither the host package nor another zone."""
    forbidden = {"rebench_inspect", "inspect_ai", "tasks", "scorers", "references", "sandboxes"} | (
        {"pickle", "torch.load", "yaml"} if zone == "scorers" else set()
    )
    for path in (ROOT / zone).rglob("*.py"):
        crossing = {name for name in imports(path) if name in forbidden or name.split(".")[0] in forbidden}
        assert not crossing, f"{path} imports {crossing}"


def test_host_modules_depend_one_way() -> None:
    """The host's dependency arrow has no back edge, and every module has its place in it."""
    for path in (ROOT / "rebench_inspect").glob("*.py"):
        if path.stem == "__init__":
            continue
        place = HOST_ORDER.index(path.stem)
        used = {name.split(".")[1] for name in imports(path) if name.startswith("rebench_inspect.")}
        later = {name for name in used if name in HOST_ORDER[place:]}
        assert not later, f"{path.name} imports {later}, which come after it"


def test_only_sandbox_py_talks_to_the_sandbox() -> None:
    """No other host module imports Inspect's `sandbox`."""
    users = [
        path.name for path in (ROOT / "rebench_inspect").rglob("*.py") if "inspect_ai.util.sandbox" in imports(path)
    ]
    assert users == ["sandbox.py"]


def test_analysis_stands_alone() -> None:
    """Analysis imports no module that runs attempts."""
    for path in (ROOT / "rebench_inspect" / "analysis").rglob("*.py"):
        used = {name for name in imports(path) if re.match(r"rebench_inspect\.(tasks|scoring|sandbox|agents)\b", name)}
        assert not used, f"{path} imports {used}"


def test_the_package_imports_nothing_heavy() -> None:
    """`import rebench_inspect` and what `bare` needs use the standard library alone."""
    for module in ("__init__", "environments", "paths", "bundle", "verdict"):
        used = {name.split(".")[0] for name in imports(ROOT / "rebench_inspect" / f"{module}.py")}
        assert not used & {"inspect_ai", "pandas", "numpy", "click", "docker", "rich", "jinja2", "pydantic"}, module


def revealing_files() -> list[Path]:
    places = [ROOT / zone for zone in ("tasks", "scorers", "references")]
    places += [ROOT / "tests" / "environments" / slug / kind for slug in BUILT for kind in ("cheats", "controls")]
    kinds = {".py", ".md", ".c", ".cu", ".sh", ".yaml"}
    found = [path for place in places for path in place.rglob("*") if path.is_file() and path.suffix in kinds]
    return [path for path in found if path.name != "README.md" and "__pycache__" not in path.parts]


def test_revealing_files_carry_the_canary() -> None:
    """Every file that reveals a task, a scorer or a solution carries the canary line with our GUID."""
    assert len(revealing_files()) > 20
    for path in revealing_files():
        text = path.read_text(encoding="utf-8", errors="replace")
        assert CANARY in text, path
        assert paths.CANARY_TEXT in text, path


def test_build_contexts_are_no_wider_than_their_folder() -> None:
    """A Dockerfile copies nothing from above its own folder, so neither scorers nor references can enter an image."""
    for dockerfile in (ROOT / "sandboxes").rglob("Dockerfile"):
        for line in dockerfile.read_text(encoding="utf-8").splitlines():
            assert not re.match(r"\s*(COPY|ADD)\b.*\.\.", line), line
            assert "syntax=" not in line


def test_no_registry_or_mirror_host_is_named() -> None:
    """No committed file names a package mirror or a container registry host."""
    hosts = re.compile(r"deb\.debian\.org|registry-1\.docker|files\.pythonhosted|pypi\.org|download\.pytorch")
    for place in ("sandboxes", "rebench_inspect", "scorers", "docs", ".ci"):
        for path in (ROOT / place).rglob("*"):
            if path.is_file() and path.suffix not in (".png", ".pyc", ".eval"):
                assert not hosts.search(path.read_text(encoding="utf-8", errors="replace")), path


def test_host_files_stay_small() -> None:
    """No host file is longer than 250 lines."""
    for path in (ROOT / "rebench_inspect").rglob("*.py"):
        assert len(path.read_text(encoding="utf-8").splitlines()) <= 250, path


def test_the_kernel_row_offers_three_scales() -> None:
    """Users choose among paper, single and mini; the private test scale is one more row."""
    assert [scale.name for scale in KERNEL.scales] == ["paper", "single", "mini", "test"]
