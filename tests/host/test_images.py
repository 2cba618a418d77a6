"""Images: what makes one stale, what the evaluator is told, and what the real one promises to agent and scorer."""

import gc
import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest
import yaml

from rebench_inspect import base_image, build_inputs, compose, images, paths
from rebench_inspect.environments import KERNEL, LLM_FOUNDRY
from rebench_inspect.errors import ImageError

MINI, SINGLE, TEST = (KERNEL.scale(name) for name in ("mini", "single", "test"))


@pytest.fixture
def data(tmp_path, monkeypatch):
    """A copy of what determines an image, so that a test may change it."""
    shutil.copytree(paths.DATA / "sandboxes", tmp_path / "sandboxes")
    shutil.copy(paths.DATA / "pyproject.toml", tmp_path)
    monkeypatch.setattr(paths, "DATA", tmp_path)
    return tmp_path


@pytest.fixture(scope="module")
def image():
    """The real image, built where it is missing or stale."""
    return images.build(KERNEL, MINI)


@pytest.fixture(scope="module")
def container(image, tmp_path_factory):
    """A container from the rendered compose file: the start of a `docker compose` command about it."""
    assert image
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.mktemp("cache")))
        file = str(compose.compose_file(KERNEL, TEST, internet=False))
    project = ["docker", "compose", "-p", f"rebench-test-images-{os.getpid()}", "-f", file]
    subprocess.run([*project, "up", "-d"], check=True, capture_output=True)
    yield project
    subprocess.run([*project, "down", "--volumes", "-t", "0"], check=True, capture_output=True)


def run(container, user, script):
    """Run a login shell's script, as Inspect's tools do."""
    command = [*container, "exec", "-T", "-u", user, "default", "bash", "--login", "-c", script]
    return subprocess.run(command, check=False, capture_output=True, text=True)


def swap(path: Path, old: str, new: str) -> None:
    """Replace text that must be there."""
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))


def test_scales_of_one_hardware_share_an_image():
    """`test` runs in the very image of `mini`; a GPU scale has its own."""
    assert images.image_name(KERNEL, MINI) == images.image_name(KERNEL, TEST) == "rebench-inspect-kernel:cpu"
    assert images.image_name(KERNEL, SINGLE) == "rebench-inspect-kernel:cuda"
    assert images.content_hash(KERNEL, MINI) == images.content_hash(KERNEL, TEST)
    assert images.content_hash(KERNEL, MINI) != images.content_hash(KERNEL, SINGLE)


def test_hash_does_not_depend_on_where_the_files_are(data):
    """A wheel and a checkout agree on what is stale."""
    before = images.content_hash(KERNEL, MINI)
    shutil.move(data / "sandboxes", data / "moved")
    (data / "moved").rename(data / "sandboxes")
    (data / "sandboxes" / "base" / "__pycache__").mkdir()
    (data / "sandboxes" / "base" / "__pycache__" / "x.pyc").write_text("x")
    assert images.content_hash(KERNEL, MINI) == before


@pytest.mark.parametrize("name", ["kernel/Dockerfile", "base/system.sh", "base/python.sh", "base/seal.sh"])
def test_a_changed_file_makes_an_image_stale(data, name):
    """Every file of the environment's folder and of `base` counts."""
    before = images.content_hash(KERNEL, MINI)
    (data / "sandboxes" / name).write_text((data / "sandboxes" / name).read_text() + "\n# changed\n")
    assert images.content_hash(KERNEL, MINI) != before


def test_a_changed_pin_makes_only_its_image_stale(data):
    """A pin of the CPU group leaves the GPU image fresh."""
    cpu, cuda = images.content_hash(KERNEL, MINI), images.content_hash(KERNEL, SINGLE)
    swap(data / "pyproject.toml", "torch==2.13.0", "torch==2.13.1")
    assert images.content_hash(KERNEL, MINI) != cpu
    assert images.content_hash(KERNEL, SINGLE) == cuda


# The SDK leaves its socket open when the Engine does not answer; collected here, so that no later test is blamed.
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning", "ignore::ResourceWarning")
@pytest.mark.parametrize(("scale", "offers_local"), [(MINI, True), (SINGLE, False)])
def test_no_docker_is_one_clear_line(monkeypatch, tmp_path, scale, offers_local):
    """Without an Engine the evaluator is told so, and of the local sandbox only where that can work."""
    monkeypatch.setenv("DOCKER_HOST", f"unix://{tmp_path}/dead.sock")
    assert not images.docker_running()
    with pytest.raises(ImageError, match="no Docker Engine answers") as caught:
        images.require(KERNEL, scale)
    assert "\n" not in caught.value.message
    assert ("-T sandbox=local" in caught.value.message) is offers_local
    with pytest.raises(ImageError, match="no Docker Engine answers"):
        images.build(KERNEL, scale)
    del caught
    gc.collect()


def test_missing_image_names_the_command(monkeypatch):
    """A missing image ends with the exact command, and never with the private scale's name."""
    monkeypatch.setattr(images, "find", lambda _name: None)
    with pytest.raises(ImageError, match="missing") as caught:
        images.require(KERNEL, TEST)
    assert caught.value.message.endswith("rebench-inspect build kernel --scale mini")


@pytest.mark.docker
def test_stale_image_names_the_command(image, data):
    """A real image whose Dockerfile has changed since is refused, and its id with it."""
    assert images.require(KERNEL, MINI) == image
    assert images.image_id(KERNEL, MINI).startswith("sha256:")
    swap(data / "sandboxes" / "kernel" / "Dockerfile", "g++", "g++ git")
    for ask in (images.require, images.image_id):
        with pytest.raises(ImageError, match=r"stale.*rebench-inspect build kernel --scale mini$"):
            ask(KERNEL, MINI)


@pytest.mark.docker
def test_fresh_image_is_not_built_again(image):
    """A second build says one line and starts nothing."""
    said = []
    assert images.build(KERNEL, MINI, base_image="no-such-image", report=said.append) == image
    assert len(said) == 1
    assert "up to date" in said[0]


def test_pip_settings_are_carried_without_local_paths():
    """Indexes go along; files of this machine do not, since the build cannot see them."""
    listing = (
        "global.index-url='https://index.invalid/simple'\n"
        "global.extra-index-url='file:///srv/a https://b.invalid/simple'\n"
        "global.constraint='/etc/x.txt'\nglobal.cert='/etc/ca.crt'\n"
        ":env:.index-url='https://env.invalid/simple'\n:env:.default-timeout='7'\n:env:.find-links='/srv/wheels'\n"
    )
    text = build_inputs.pip_conf(build_inputs.parse_pip_config(listing))
    assert "index-url = https://env.invalid/simple\n" in text
    assert "extra-index-url = https://b.invalid/simple\n" in text
    assert "timeout = 7" in text
    assert "/srv" not in text
    assert "/etc" not in text
    assert text.endswith("find-links = /run/wheels\n")


def test_local_wheels_are_gathered(tmp_path):
    """Wheels of every local find-links folder reach the build; a link to elsewhere on the web is left to pip."""
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "x-1-py3-none-any.whl").write_text("x")
    (tmp_path / "out").mkdir()
    links = [str(tmp_path / "a"), "https://links.invalid/", str(tmp_path / "none")]
    build_inputs.gather_wheels(links, tmp_path / "out")
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["x-1-py3-none-any.whl"]


def test_evaluators_base_image_wins(monkeypatch):
    """An argument beats REBENCH_BASE_IMAGE, and neither asks a registry."""
    monkeypatch.setattr(base_image, "registry_trouble", lambda _image: pytest.fail("asked a registry"))
    monkeypatch.setenv("REBENCH_BASE_IMAGE", "from-environment")
    assert base_image.choose(None, print) == "from-environment"
    assert base_image.choose("asked", print) == "asked"


def test_missing_debootstrap_says_what_to_type(monkeypatch):
    """Where no base image can be made the message has the command that helps."""
    monkeypatch.setattr(base_image.shutil, "which", lambda _name: None)
    with pytest.raises(ImageError, match="apt-get install debootstrap"):
        base_image.make_local(print)


def test_no_committed_file_names_a_mirror():
    """What lies in `sandboxes/` works with anybody's mirror: no address is in it."""
    for path in (paths.DATA / "sandboxes").rglob("*"):
        assert not path.is_file() or "://" not in path.read_text(), path


@pytest.mark.docker
@pytest.mark.parametrize("scale", [MINI, SINGLE], ids=["mini", "single"])
def test_compose_accepts_the_file(scale, tmp_path, monkeypatch):
    """Compose reads both kinds, offline and strict by default, with the sample's own GPU."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setenv("SAMPLE_METADATA_GPU_0", "GPU-of-this-sample")
    file = compose.compose_file(KERNEL, scale, internet=False)
    assert file.is_absolute()
    assert [path.name for path in file.parent.iterdir()] == ["compose.yaml"]
    command = ["docker", "compose", "-f", str(file), "config", "--format", "json"]
    service = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)["services"]["default"]
    assert service["network_mode"] == "none"
    assert service["cap_drop"] == ["ALL"]
    assert service["mem_limit"] == service["memswap_limit"]
    reserved = service["deploy"].get("resources", {}).get("reservations", {}).get("devices", [])
    assert [device["device_ids"] for device in reserved] == ([["GPU-of-this-sample"]] if scale.gpus else [])


def test_internet_is_the_only_difference(tmp_path, monkeypatch):
    """`internet=true` changes the network and nothing else; the same row renders to the same file."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    off, on = (compose.render(KERNEL, MINI, internet=internet) for internet in (False, True))
    assert off.replace("network_mode: none", "network_mode: bridge") == on
    first, second = (compose.compose_file(KERNEL, MINI, internet=False) for _ in range(2))
    assert first == second


def test_groups_include_groups():
    """Images of one environment for CPUs and GPUs share their pins but for torch and what a GPU build of it needs."""
    work = {
        name: set(build_inputs.pins(LLM_FOUNDRY, LLM_FOUNDRY.scale(name))["work.txt"].split())
        for name in ("mini", "single")
    }
    only = {pin.partition("==")[0] for pin in work["mini"] ^ work["single"] if not pin.startswith("nvidia-")}
    assert only == {"torch", "torchvision", "triton"}


def _volumes(makes):
    """Return the volumes of a rendered sandbox."""
    return yaml.safe_load(compose.render(KERNEL, MINI, internet=False, makes=makes))["services"]["default"]["volumes"]


def test_what_the_machine_made_is_read_only(tmp_path, monkeypatch):
    """A sandbox sees what an environment's scorer made on this machine and cannot change it; the maker alone can."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert _volumes(makes=False) == []
    held = paths.made_folder("kernel", "mini")
    held.mkdir(parents=True)
    assert _volumes(makes=False) == [f"{held}:/opt/rebench/made:ro"]
    assert _volumes(makes=True) == [f"{held}:/opt/rebench/made"]


@pytest.mark.parametrize("scale", [MINI, SINGLE], ids=["mini", "single"])
def test_kubernetes_gets_the_same_row(scale, tmp_path, monkeypatch):
    """The values for Kubernetes carry the row's image, limits and GPUs, and no way out unless asked."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    text = compose.values_file(KERNEL, scale, internet=False).read_text()
    values = yaml.safe_load(text)
    service = values["services"]["default"]
    assert values["allowDomains"] == []
    assert service["image"] == images.image_name(KERNEL, scale)
    assert service["resources"]["limits"].get("nvidia.com/gpu", 0) == scale.gpus
    caps = yaml.safe_load(compose.render(KERNEL, scale, internet=False))["services"]["default"]["cap_add"]
    assert service["securityContext"]["capabilities"]["add"] == caps


FORBIDDEN_TO_AGENT = [
    "ls /opt/rebench",
    "ls /opt/rebench/trusted",
    "ls /opt/rebench/private",
    "ls /opt/rebench/kept",
    "ls /opt/rebench/scorings",
    "/opt/rebench/trusted/bin/python -c 1",
    "touch /opt/work/x",
    "touch /opt/work/lib/python3.11/site-packages/torch/x.py",
    "touch /opt/rebench/scorings/x",
    "ls /root",
]


@pytest.mark.docker
@pytest.mark.parametrize("user", ["agent", "solver"])
@pytest.mark.parametrize("script", FORBIDDEN_TO_AGENT)
def test_others_cannot(container, user, script):
    """Neither the agent nor submitted code can open root's folders or write where both run from."""
    done = run(container, user, script)
    assert done.returncode != 0
    assert "ermission denied" in done.stderr


@pytest.mark.docker
def test_users_and_modes(container):
    """The layout that scorer and host rely on: users, owners and modes."""
    script = "stat -c '%n %a %U' /opt/rebench /opt/rebench/* /opt/work /home/agent; id -u agent; id -u solver"
    assert run(container, "root", script).stdout.split("\n")[:-1] == [
        "/opt/rebench 711 root",
        "/opt/rebench/kept 700 root",
        "/opt/rebench/private 700 root",
        "/opt/rebench/scorings 711 root",
        "/opt/rebench/trusted 700 root",
        "/opt/work 755 root",
        "/home/agent 700 agent",
        "10001",
        "10002",
    ]
    assert run(container, "solver", "touch /home/agent/x").returncode != 0


@pytest.mark.docker
def test_nothing_raises_privileges_or_is_open_to_all(container):
    """No setuid or setgid program, no file capability; only the usual temporary folders can be written by all."""
    assert run(container, "root", "find / -xdev -type f -perm /6000").stdout == ""
    script = "find / /dev/shm -xdev -type d -perm -0002 -o -xdev -type f -perm -0002 | sort -u"
    assert set(run(container, "root", script).stdout.split()) <= {"/tmp", "/var/tmp", "/dev/shm"}
    script = (
        "import os; from pathlib import Path\n"
        "print([str(p) for top in ('/usr', '/opt') for p in Path(top).rglob('*')"
        " if p.is_file() and not p.is_symlink() and 'security.capability' in os.listxattr(p)])"
    )
    assert run(container, "root", f'/usr/bin/python3 -c "{script}"').stdout == "[]\n"


@pytest.mark.docker
def test_agent_can_work(container):
    """As the agent: torch and numba run from the pinned environment, gcc compiles, Python is the right one."""
    python = "import torch, numba, sys; numba.njit(lambda x: x + 1)(1); print(torch.__version__, sys.prefix)"
    done = run(container, "agent", f'cd && python -c "{python}"')
    assert done.stdout.startswith("2.13.0"), done.stderr
    assert done.stdout.split()[1] == "/opt/work"
    done = run(
        container, "agent", "cd && echo 'int main(){return 7;}' > a.c && gcc -O3 -fopenmp a.c -o a.out && ./a.out"
    )
    assert done.returncode == 7, done.stderr
    assert run(container, "agent", "ls /sys/class/net").stdout.split() == ["lo"]


@pytest.mark.docker
def test_scorer_can_work(container):
    """As root with few capabilities: trusted Python runs, files of others can be read and owned, processes killed."""
    assert run(container, "root", "/opt/rebench/trusted/bin/python -I -B -c 'import numpy'").returncode == 0
    script = (
        "set -e; cd /home/agent; echo x >f; chown agent f; chmod 0600 f; cat f >/dev/null;"
        "setpriv --reuid 10002 --regid 10002 --clear-groups sleep 60 & pid=$!; sleep 0.3;"
        "grep -q '^Uid:.10002' /proc/$pid/status; kill -STOP $pid; kill -KILL $pid"
    )
    assert run(container, "root", script).returncode == 0
    assert run(container, "root", "test -x /usr/bin/timeout").returncode == 0


@pytest.mark.docker
def test_nothing_of_the_evaluators_machine_is_left(container):
    """No pip or apt settings, no secrets, no CA of the evaluator's, no name server: the image can be passed on."""
    gone = "/etc/pip.conf /etc/xdg/pip /root/.config/pip /root/.cache /run/secrets /run/wheels /run/pins /run/base"
    assert run(container, "root", f"ls -d {gone}").stdout == ""
    sources = build_inputs.apt_sources("$(SITE)").split()
    assert run(container, "root", "cat /etc/apt/sources.list /etc/apt/sources.list.d/* 2>/dev/null").stdout == ""
    for site in sources:
        host = site.split("//")[1].split("/")[0].rpartition("@")[2]
        assert run(container, "root", f"ls /var/lib/apt/lists /var/cache/apt | grep -F {host}").stdout == ""
    ours = certificates(Path("/etc/ssl/certs/ca-certificates.crt").read_text())
    theirs = certificates(run(container, "root", "cat /etc/ssl/certs/ca-certificates.crt").stdout)
    shipped = certificates(run(container, "root", "cat /usr/share/ca-certificates/mozilla/*.crt").stdout)
    assert theirs
    assert theirs <= shipped
    assert not ((ours - shipped) & theirs)


def certificates(bundle):
    """Return the set of certificates in a PEM bundle."""
    return {"".join(part.split("-----END")[0].split()) for part in bundle.split("-----BEGIN CERTIFICATE-----")[1:]}


@pytest.mark.docker
def test_image_carries_its_labels(image):
    """What built an image can be read from it."""
    command = ["docker", "image", "inspect", "--format", "{{json .Config.Labels}}", image]
    labels = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)
    assert labels["rebench-inspect.environment"] == "kernel"
    assert labels["rebench-inspect.hardware"] == "cpu"
    assert labels["rebench-inspect.content-hash"] == images.content_hash(KERNEL, MINI)
    assert labels["org.opencontainers.image.version"]
