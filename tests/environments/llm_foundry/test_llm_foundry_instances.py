"""Instances of every scale, and the interpreter that a machine without an image gets."""

import subprocess
import sys
import zipfile
from pathlib import Path
from types import SimpleNamespace

import pytest
from parts import loaded

from rebench_inspect import bare, bare_machine, bundle
from rebench_inspect.environments import LLM_FOUNDRY

OPTIONS = ("max_duration", "global_train_batch_size", "max_seq_len", "t_warmup", "alpha_f", "lr", "seed")


@pytest.fixture(params=["mini", "single", "paper"])
def drawn(request, tmp_path, monkeypatch):
    """Return the module that draws, the starting configuration of a scale, and a job."""
    monkeypatch.setitem(sys.modules, "weights", loaded("weights"))
    variants = loaded("variants")
    monkeypatch.setattr(variants, "FOLDER", tmp_path)
    starting = tmp_path / "trusted" / "starting"
    for name, content in bundle.workspace_files("llm_foundry", LLM_FOUNDRY.scale(request.param)).items():
        starting.mkdir(parents=True, exist_ok=True)
        (starting / name).write_bytes(content)
    (tmp_path / "assets" / "foundry" / "model").mkdir(parents=True)
    for name in variants.DATA:
        (tmp_path / "assets" / "foundry" / name).write_text("public\n" * 40)
    private = tmp_path / "root" / "private"
    (private / "foundry").mkdir(parents=True)
    (private / "foundry" / "pool.jsonl").write_text("".join(f"{at}\n" for at in range(40 * variants.CHOICES)))
    job = SimpleNamespace(
        assets=str(tmp_path / "assets"), root=str(tmp_path / "root"), private=private, parameters={"variants": 3}
    )
    return variants, (starting / "finetune.yaml").read_text(encoding="utf-8"), job


def test_secret_instances_keep_steps_and_length(drawn):
    """Instances that are timed differ in what changes no time, so that the start takes the same on each."""
    variants, text, job = drawn
    draw = variants.variant(job, "0").draw
    assert set(draw["options"]) == {"lr", "seed", "alpha_f"}
    assert 0.79 < float(draw["options"]["lr"]) / float(variants._value(text, "lr")) < 1.21
    changed = variants.configured(text, draw["options"])
    pairs = zip(text.splitlines(), changed.splitlines(), strict=True)  # a draw may be the start's own value
    assert {old.split(":")[0].strip() for old, new in pairs if old != new} <= set(draw["options"])
    for name, value in draw["options"].items():
        assert variants._value(changed, name) == str(value)


def test_secret_instances_have_rows_of_their_own(drawn):
    """One of every few neighbours in the pool, shuffled; none that the agent can see but in the public instance."""
    variants, _, job = drawn
    rows = {name: list(map(int, variants._rows(job, variants.variant(job, name)))) for name in ("options", "0", "1")}
    for found in rows.values():
        assert sorted(at // variants.CHOICES for at in found) == list(range(40))
        assert found != sorted(found)
    assert set(rows["0"]) != set(rows["1"])
    assert rows["0"] == list(map(int, variants._rows(job, variants.variant(job, "0"))))
    assert set(variants._rows(job, variants.variant(job, "development"))) == {b"public\n"}


def test_instance_of_other_options_changes_every_option(drawn):
    """The compliance run has another value of each option that the instructions name, and is short."""
    variants, text, job = drawn
    changed = variants.configured(text, variants.variant(job, "options").draw["options"])
    for name in OPTIONS:
        assert variants._value(changed, name) != variants._value(text, name), name
    assert int(variants._value(changed, "max_duration").removesuffix("ba")) < 9


def test_a_draw_is_kept(drawn):
    """An instance is drawn once a machine, and another script has other instances."""
    variants, _, job = drawn
    assert variants.variant(job, "1") == variants.variant(job, "1")
    before = variants.bank(job)
    (variants.FOLDER / "trusted" / "starting" / "train.py").write_text("pass")
    variants._digest.cache_clear()
    assert variants.bank(job) != before


def test_no_instance_is_timed_twice(drawn):
    """First the machine's own, in any order, then new ones; what the start is timed on is not used up by that."""
    variants, _, job = drawn
    job.attempt, job.source = Path(job.root, "attempt"), "starting"
    assert variants.unseen(job) in ("0", "1")
    job.source = "agent"
    chosen = [variants.unseen(job) for _ in range(4)]
    assert set(chosen[:2]) == {"0", "1"}  # the last of the three is the re-measurement's
    assert len(set(chosen)) == 4
    assert variants.variant(job, chosen[3]).draw != variants.variant(job, chosen[2]).draw
    assert job.attempt.stat().st_mode & 0o077 == 0


def test_public_instance_can_be_left_out(drawn):
    """A machine that nobody works on needs no reference that may be read."""
    variants, _, job = drawn
    assert variants.names(job) == ["development", "options", "0", "1", "2"]
    job.parameters["public_reference"] = 0.0
    assert variants.names(job) == ["options", "0", "1", "2"]


@pytest.fixture
def wheels(tmp_path, monkeypatch):
    """Return a folder with a wheel of one module; the interpreter is made beside it."""
    monkeypatch.setattr(bare_machine, "_WORK", tmp_path / "work")
    folder = tmp_path / "wheels"
    folder.mkdir()
    with zipfile.ZipFile(folder / "foundry_probe-1.0-py3-none-any.whl", "w") as wheel:
        wheel.writestr("foundry_probe.py", "value = 7")
        about = "Metadata-Version: 2.1\nName: foundry-probe\nVersion: 1.0\n"
        wheel.writestr("foundry_probe-1.0.dist-info/METADATA", about)
        tags = "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
        wheel.writestr("foundry_probe-1.0.dist-info/WHEEL", tags)
        wheel.writestr("foundry_probe-1.0.dist-info/RECORD", "")
    return folder


def test_wheels_are_there_for_every_user(wheels, tmp_path):
    """Isolated mode, as submitted code has it, sees the wheels first and this interpreter's packages behind them."""
    python = bare_machine.work_python(wheels, "kernel")
    program = "import foundry_probe, pytest; print(foundry_probe.value, foundry_probe.__file__)"
    done = subprocess.run([python, "-I", "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.split()[0] == "7"
    assert done.stdout.split()[1].startswith(str(tmp_path / "work"))
    made = Path(python).lstat().st_mtime_ns
    empty = tmp_path / "empty"
    empty.mkdir()
    assert bare_machine.work_python(empty, "kernel") == python  # a later command need not bring them again
    assert Path(python).lstat().st_mtime_ns == made


def test_a_strange_folder_is_left_alone(wheels, tmp_path):
    """What somebody else has at that place is not removed."""
    (tmp_path / "work").mkdir()
    (tmp_path / "work" / "precious").touch()
    with pytest.raises(FileExistsError, match="move it away"):
        bare_machine.work_python(wheels, "kernel")
    assert (tmp_path / "work" / "precious").exists()


def test_unknown_parameters_are_refused(capsys):
    """A misspelt `--set` names the parameters that there are."""
    with pytest.raises(SystemExit):
        bare.main(["llm_foundry", "--scale", "single", "--set", "variant=2"])
    assert "variants" in capsys.readouterr().err
