"""Task arguments: defaults by scale, and one clear line for every bad value."""

import subprocess
import sys
from pathlib import Path

import pytest

from rebench_inspect import environments, tasks
from rebench_inspect.environments import KERNEL
from rebench_inspect.errors import RebenchError, UsageError


@pytest.mark.parametrize(("scale", "hours"), [("paper", 8), ("single", 2), ("mini", 0.5)])
def test_default_budgets(scale: str, hours: float) -> None:
    """Eight hours at paper, two at single, half an hour at mini."""
    assert tasks.checked(KERNEL, KERNEL.scale(scale), {})["budget_hours"] == hours


@pytest.mark.parametrize(
    ("options", "parts"),
    [
        ({"sandbox": "podman"}, ["sandbox='podman'", "docker, local"]),
        ({"prompt_variant": "rude"}, ["prompt_variant='rude'", "standard, no_rules"]),
        ({"internet": "maybe"}, ["internet='maybe'", "true, false"]),
        ({"budget_hours": 0}, ["budget_hours=0", "above 0"]),
        ({"budget_hours": "long"}, ["budget_hours='long'", "number"]),
        ({"attempts": 0}, ["attempts=0", "whole number from 1"]),
        ({"attempts": 1.5}, ["attempts=1.5", "whole number"]),
        ({"solution": "perfect"}, ["solution=perfect", "starting, reference, frontier"]),
        ({"anchors": "/nowhere.json"}, ["anchors=/nowhere.json", "rebench-inspect calibrate"]),
        ({"colour": "red"}, ["'colour'", "budget_hours"]),
    ],
    ids=str,
)
def test_bad_values_get_one_line(options: tasks.Options, parts: list[str]) -> None:
    """The line names the value, the rule and what to choose from."""
    with pytest.raises(UsageError) as caught:
        tasks.checked(KERNEL, KERNEL.scale("mini"), options)
    assert "\n" not in caught.value.message
    for part in parts:
        assert part in caught.value.message


def test_unknown_scale_lists_the_allowed_ones() -> None:
    """The private test scale is not offered."""
    with pytest.raises(UsageError, match=r"choose one of: paper, single, mini$"):
        tasks.kernel(scale="huge")


def test_local_sandbox_is_for_cpu_scales() -> None:
    """A GPU scale in the local sandbox is refused with the scale that works."""
    with pytest.raises(UsageError, match="scale=mini"):
        tasks.checked(KERNEL, KERNEL.scale("single"), {"sandbox": "local"})


def test_inspect_eval_prints_one_line_instead_of_a_traceback(tmp_path: Path) -> None:
    """`inspect eval rebench_inspect/kernel -T scale=huge` fails with the line, from any folder."""
    inspect = str(Path(sys.executable).with_name("inspect"))
    done = subprocess.run(
        [inspect, "eval", "rebench_inspect/kernel", "--model", "mockllm/model", "-T", "scale=huge"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    output = done.stdout + done.stderr
    assert done.returncode != 0
    assert "choose one of: paper, single, mini" in output
    assert "Traceback" not in output


def test_list_from_any_folder(tmp_path: Path) -> None:
    """`rebench-inspect list` prints all seven environments wherever it is run."""
    command = str(Path(sys.executable).with_name("rebench-inspect"))
    done = subprocess.run([command, "list"], cwd=tmp_path, capture_output=True, text=True, check=True)
    for row in environments.ENVIRONMENTS:
        assert row.slug[:12] in done.stdout


def test_inspect_lists_the_task() -> None:
    """In a checkout `inspect list tasks rebench_inspect` shows the kernel task."""
    inspect = str(Path(sys.executable).with_name("inspect"))
    root = Path(__file__).resolve().parents[2]
    done = subprocess.run(
        [inspect, "list", "tasks", "rebench_inspect"], cwd=root, capture_output=True, text=True, check=True
    )
    assert "rebench_inspect/tasks.py@kernel" in done.stdout


def test_an_unknown_environment_is_named() -> None:
    """The command names the value and lists the seven."""
    command = str(Path(sys.executable).with_name("rebench-inspect"))
    done = subprocess.run([command, "build", "kernels"], capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "'kernels' is not an environment" in done.stderr
    assert "Traceback" not in done.stderr


def test_errors_are_one_family() -> None:
    """Every error of ours prints as a line in click programs."""
    assert issubclass(UsageError, RebenchError)
