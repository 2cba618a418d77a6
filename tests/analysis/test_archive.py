"""The fast way into a log gives what Inspect's own reader gives, and nobody can pose as the store."""

import json
import zipfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from inspect_ai.log import read_eval_log

from rebench_inspect.analysis.archive import LogError, open_log, parse_sample
from rebench_inspect.analysis.extract import LEDGER, NEEDED, extract
from rebench_inspect.ledger import Ledger
from tests.analysis.logs import DATA, SUBMITTED

LOGS = sorted(path for path in DATA.iterdir() if path.suffix in (".eval", ".json") and "expected" not in path.name)
DROPPED = ("messages", "events", "events_data", "attachments", "timelines")


@pytest.mark.parametrize("path", LOGS, ids=lambda path: path.suffix)
def test_equals_inspects_reader(path: Path):
    """From our members and from Inspect's own models the same rows come out, column by column."""
    theirs = read_eval_log(str(path))
    header = json.loads(theirs.model_dump_json(exclude={"samples"}, exclude_none=True))
    full = [json.loads(sample.model_dump_json(exclude_none=True)) for sample in theirs.samples or []]
    log = open_log(str(path))
    ours = {str(member.sample["uuid"]): extract(str(path), log.header, member.sample) for member in log.members}
    expected = {str(sample["uuid"]): extract(str(path), header, sample) for sample in full}
    assert ours == expected
    assert all(item.attempt is not None for item in ours.values())


def test_ledger_keys_are_the_models():
    """The prefix and the fields that the reader looks for are those of the store model."""
    assert f"{Ledger.__name__}:" == LEDGER
    assert set(Ledger.model_fields) >= NEEDED


keys = st.sampled_from(["store", "events", "model_usage", "role_usage", "uuid", "timelines", "a", "Ledger:environment"])
leaves = st.one_of(
    st.none(), st.integers(), st.text(max_size=12), st.sampled_from([',"events":[', '"model_usage":{', "]}"])
)
values = st.recursive(
    leaves, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(keys, inner, max_size=4), max_leaves=20
)


@given(values, values, st.lists(values, max_size=5), st.dictionaries(keys, values, max_size=3), st.booleans())
def test_nested_keys_cannot_pose_as_the_store(messages, store, events, usage, spaces: bool):
    """Whatever an agent writes into messages, files or events, the cut text gives what the whole text gives."""
    sample = {"id": "a", "messages": messages, "store": store, "events": events, "model_usage": usage, "uuid": "u"}
    text = json.dumps(sample, separators=None if spaces else (",", ":"))
    assert parse_sample(text) == {name: value for name, value in sample.items() if name not in DROPPED}


def test_cut_is_used_on_real_logs():
    """On a real sample the events are never parsed: a text whose events are broken still gives the same fields."""
    with zipfile.ZipFile(SUBMITTED) as archive:
        name = next(name for name in archive.namelist() if name.startswith("samples/"))
        text = archive.read(name).decode()
    broken = text.replace('"event":"model"', '"event":model', 1)
    assert broken != text
    assert parse_sample(broken) == parse_sample(text)


@pytest.mark.parametrize("content", [b"", b"PK\x03\x04 cut off", b"not a zip"])
def test_no_log(tmp_path: Path, content: bytes):
    """A file that is no log is an error of ours with the reason, whatever its bytes."""
    path = tmp_path / "bad.eval"
    path.write_bytes(content)
    with pytest.raises(LogError, match="no readable Inspect log"):
        open_log(str(path))


def test_truncated_log(tmp_path: Path):
    """A log that was cut off is told from one that is whole."""
    path = tmp_path / "cut.eval"
    path.write_bytes(SUBMITTED.read_bytes()[:-300])
    with pytest.raises(LogError):
        open_log(str(path))
