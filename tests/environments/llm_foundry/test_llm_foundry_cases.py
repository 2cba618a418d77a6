"""Every known solution, control, cheat and broken submission, through the real scorer in the real sandbox image."""

import ast
import math
from pathlib import Path

import bench
import pytest

from rebench_inspect import asset_store, bundle

HERE = Path(__file__).parent
CHECKOUT = HERE.parents[2]
REFERENCES = CHECKOUT / "references" / "llm_foundry"
STARTING = CHECKOUT / "tasks" / "llm_foundry" / "workspace"
KINDS = {"controls": ("valid",), "cheats": ("invalid", "no_gain", "either"), "submissions": ("invalid",)}
TOLERANCE = 0.25
"""A cheat gains when it takes less than this share off its honest twin's time: a run of seconds on shared cores."""


def header(path):
    """Return the `Name: value` lines of a case."""
    text = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""
    lines = [line.partition(": ") for line in text.splitlines()]
    return {name: value for name, colon, value in lines if colon}


CASES = {f"{kind}/{path.stem}": path for kind in KINDS for path in sorted((HERE / kind).glob("*.py"))}


def solution(name):
    """Return the files of a known solution."""
    return bundle.solution_files(STARTING if name == "starting" else REFERENCES / name)


@pytest.fixture(scope="module")
def known(sandbox):
    """Return the verdicts of the known solutions; the second of the frontier's two, since the first is cold."""
    verdicts = {}
    for name in ("starting", "reference", "frontier", "frontier"):
        sandbox.install(solution(name))
        verdicts[name] = sandbox.score()
    return verdicts


def prepared(sandbox, path):
    """Install a case over its base and take its steps as the agent."""
    wanted, private = header(path), asset_store.scale_folder("test") / "private"
    laid_out = {**solution("starting"), **solution(wanted["Base"]), "case.py": path.read_bytes()}
    if "Given" in wanted:
        laid_out[Path(wanted["Given"]).name] = (private / wanted["Given"]).read_bytes()
    sandbox.install(laid_out)
    sandbox.shell("agent", f"cd {bench.SOLUTION} && /opt/work/bin/python case.py && rm -f case.py")


def cleaned(sandbox):
    """End what the agent left running, and remove what it left."""
    of_agent = "find /proc -maxdepth 1 -user agent -name '[0-9]*' -printf '%f ' | xargs -r kill -KILL"
    sandbox.shell("root", f"{of_agent}; find /tmp /var/tmp /dev/shm -user agent -delete; true")
    sandbox.shell("agent", "find ~ -mindepth 1 -delete")


def judged(sandbox, path):
    """Score a case; one that is to run into the time limit need not wait for it long."""
    prepared(sandbox, path)
    limits = sandbox.job["parameters"]
    limits["run_timeout_s"] = 15 if header(path).get("Reason") == "timeout" else bench.PARAMETERS["run_timeout_s"]
    verdict = sandbox.score()
    limits["run_timeout_s"] = bench.PARAMETERS["run_timeout_s"]
    cleaned(sandbox)
    return verdict


def naively(sandbox):
    """Return the seconds that the naive judge takes for what is installed, and whether it accepts."""
    sandbox.unpack("agent", "/tmp", {"naive_judge.py": (HERE / "naive_judge.py").read_bytes()})
    words = sandbox.shell("agent", f"/opt/work/bin/python /tmp/naive_judge.py {bench.SOLUTION}").split()
    at = words.index("JUDGED")
    return float(words[at + 1]), words[at + 2] == "True"


@pytest.mark.docker
@pytest.mark.timeout(1500)
@pytest.mark.parametrize("name", ["starting", "reference", "frontier"])
def test_known_solution_scores(known, name):
    """Start, reference and frontier are valid, far inside the tolerance."""
    assert known[name]["outcome"] == "scored", known[name]
    assert known[name]["measurements"]["trials"][0]["whole"] < 0.05 * bench.PARAMETERS["whole_tolerance"]


@pytest.mark.docker
def test_reference_beats_the_start(known):
    """Other load may take half of a machine's time, not more: the start takes three and seven times as long."""
    raw = {name: verdict["raw_score"] for name, verdict in known.items()}
    assert max(raw["reference"], raw["frontier"]) < raw["starting"]


@pytest.mark.docker
@pytest.mark.parametrize(("yours", "shown"), [("reference", "+0.000000"), ("initial", "-1.000000")])
def test_compare_shows_the_agent_what_the_scoring_measures(sandbox, known, yours, shown):
    """The public reference is at no distance from itself; weights that did not move are at one, and shorter by all."""
    assert known  # a scoring publishes the reference
    sandbox.install(solution("starting"))
    folders = {"initial": f"{bench.LAYOUT.assets}/foundry/model", "reference": f"{bench.LAYOUT.root}/development"}
    command = f"compare.py {folders[yours]} {folders['reference']} {folders['initial']}"
    *_, whole, length = sandbox.shell("agent", f"cd {bench.SOLUTION} && /opt/work/bin/python {command}").splitlines()
    assert whole.split()[0] == shown.lstrip("+-")
    assert length.split()[0] == shown


def scored(name):
    """Return a parameter: a cheat takes two runs of a training, half a minute, and there are many."""
    return pytest.param(name, marks=pytest.mark.slow if name.startswith("cheats/") else ())


@pytest.mark.docker
@pytest.mark.timeout(1500)
@pytest.mark.parametrize("name", [scored(name) for name in CASES])
def test_case(sandbox, known, name):
    """An honest case scores, a broken one gets its reason, a cheat is invalid or gains nothing."""
    wanted, verdict = header(CASES[name]), judged(sandbox, CASES[name])
    expect, outcome = wanted["Expect"], verdict["outcome"]
    assert outcome == {"valid": "scored", "no_gain": "scored", "invalid": "invalid"}.get(expect, outcome), verdict
    if outcome == "invalid" and "Reason" in wanted:
        assert verdict["reason"] == wanted["Reason"], verdict
    if outcome == "scored" and "Honest" in wanted:
        gain = 1 - math.exp(verdict["raw_score"] - known[wanted["Honest"]]["raw_score"])
        assert gain < TOLERANCE, f"it gained {gain:.0%}"


@pytest.fixture(scope="module")
def honest_s(sandbox, known):
    """Return the seconds that the naive judge takes for the frontier."""
    assert known
    sandbox.install({**solution("starting"), **solution("frontier")})
    seconds, accepted = naively(sandbox)
    cleaned(sandbox)
    assert accepted
    return seconds


@pytest.mark.docker
@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name, path in CASES.items() if header(path).get("Naive") == "beats"])
def test_cheat_beats_the_naive_judge(sandbox, honest_s, name):
    """The naive judge accepts the cheat in much less than the honest time: else its defeat would prove nothing."""
    prepared(sandbox, CASES[name])
    seconds, accepted = naively(sandbox)
    cleaned(sandbox)
    assert accepted
    assert seconds < 0.7 * honest_s


@pytest.mark.parametrize("name", CASES)
def test_headers_are_complete(name):
    """Programs read the headers, so each says what is expected, in the agreed words."""
    found, kind = header(CASES[name]), name.partition("/")[0]
    assert found["Strategy"]
    assert found["Expect"] in KINDS[kind]
    assert found["Base"] in ("starting", "reference", "frontier")
    assert kind != "cheats" or (found["Would gain"] and found["Honest"])
    assert kind != "cheats" or found["Naive"] == "beats" or found["Naive"].startswith("n/a ")
    assert kind != "submissions" or found["Reason"].replace("_", "").islower()


@pytest.mark.parametrize("name", CASES)
def test_preparation_is_guarded(name):
    """A case acts in the sandbox alone, never on a developer's machine."""
    _, _, steps = CASES[name].read_text(encoding="utf-8").partition('if __name__ == "__main__":\n')
    assert steps.startswith("    assert os.getuid() == 10001")


@pytest.mark.docker
def test_scorer_leaves_nothing_for_the_agent(sandbox, known):
    """After scorings the agent can read the development reference, and no instance, no secret, no folder of a run."""
    assert known
    sandbox.shell("agent", "test -r /opt/rebench/development/model.safetensors")
    for place in ("/opt/rebench/private", "/opt/rebench/made", "/opt/rebench/scorings", "/opt/rebench/kept"):
        listed = sandbox.shell("agent", f"ls {place} 2>/dev/null | wc -l")
        assert listed.strip() == "0", place
    assert sandbox.shell("root", "find / -xdev -user solver 2>/dev/null | head -5").strip() == ""


PROBE = r"""
grep -E '^(Uid|Seccomp|NoNewPrivs):' /proc/self/status | tr -s '\t' ' '
for place in /opt/rebench/private /opt/rebench/kept /home/agent /tmp /opt/assets; do
    ls $place 2>/dev/null && echo "sees $place"
done
for place in /opt/rebench /opt/work /tmp /etc /var/tmp; do
    touch $place/x 2>/dev/null && echo "writes $place"
done
python -c "
import os, signal, socket
a, b = socket.socketpair(); a.send(b'x'); print('sockets work', len(b.recv(1)))
try: os.kill(os.getpid(), signal.SIGCONT); print('wakes others')
except PermissionError: print('cannot wake')
"
echo "named $USER"
env | grep -c -v -E '^(PATH|HOME|USER|TMPDIR|LANG|OMP_WAIT_POLICY|PWD|SHLVL|_|LD_LIBRARY_PATH)=' || true
exit 3
"""


@pytest.mark.docker
def test_what_a_script_may_do(sandbox, known):
    """A script runs as `solver` behind the filter, sees nothing of the scorer's or the agent's, and has sockets."""
    assert known
    sandbox.install({"finetune.sh": PROBE.encode()})
    message = sandbox.score()["message"]
    for line in ("Uid: 10002 10002", "NoNewPrivs: 1", "Seccomp: 2", "sockets work 1", "cannot wake", "named solver"):
        assert line in message, message
    assert "sees" not in message, message
    assert "writes" not in message, message
    assert message.rstrip().endswith("\n0"), message


@pytest.mark.docker
@pytest.mark.slow
@pytest.mark.timeout(1500)
def test_no_instance_comes_back(sandbox):
    """Weights that got out of one scoring are another instance's in every later one of the attempt."""
    sandbox.install(solution("frontier"))
    first, second = (sandbox.score(remembers=remembers) for remembers in (True, False))
    assert first["outcome"] == second["outcome"] == "scored"
    assert not set(first["measurements"]["instances"]) & set(second["measurements"]["instances"])
