"""Images of sandboxes: their names, whether they are fresh, and building them. Nothing is built during an eval.

An image belongs to an environment and a kind of hardware, so scales of the same hardware share it; one that holds
assets belongs to a scale. Its label carries a hash of everything that determines its contents: the folders
`sandboxes/base` and `sandboxes/<env>`, the pins, and the assets.
"""

import hashlib
import tempfile
import tomllib
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any, NamedTuple

import docker
import docker.errors

from rebench_inspect import asset_making, asset_store, build_inputs, paths
from rebench_inspect import base_image as base_images
from rebench_inspect.environments import SCALE_NAMES, Environment, Scale
from rebench_inspect.errors import ImageError

_HASH_LABEL = "rebench-inspect.content-hash"
_DOCKER_TIMEOUT_S = 10


class Image(NamedTuple):
    """An image of this machine: its id, and the hash of the files and pins that it was built from."""

    id: str
    content_hash: str


def image_name(environment: Environment, scale: Scale) -> str:
    """Return the image of an environment at a scale; without assets, scales of the same hardware share it."""
    tag = scale.name if environment.image_assets else scale.hardware
    return f"rebench-inspect-{environment.slug.replace('_', '-')}:{tag}"


def content_hash(environment: Environment, scale: Scale) -> str:
    """Return the SHA-256 of all that determines an image: relative paths, contents, pins, recorded hashes of assets."""
    parts = {f"pins/{name}": text.encode() for name, text in build_inputs.pins(environment, scale).items()}
    held = asset_store.in_image(environment, scale.name)
    parts |= {f"assets/{name}": recorded.encode() for name, (_, recorded) in held.items()}
    for folder in (sandbox_folder("base"), sandbox_folder(environment.slug)):
        for path in folder.rglob("*"):
            if path.is_file() and "__pycache__" not in path.parts:
                parts[path.relative_to(folder.parent).as_posix()] = path.read_bytes()
    total = hashlib.sha256()
    for name in sorted(parts):
        total.update(f"{name}\0{hashlib.sha256(parts[name]).hexdigest()}\n".encode())
    return total.hexdigest()


def sandbox_folder(name: str) -> Path:
    """Return a folder of the image zone: an environment's, or `base`."""
    return paths.DATA / "sandboxes" / name


def _client() -> Any:  # noqa: ANN401 - the SDK has no types
    return docker.from_env(timeout=_DOCKER_TIMEOUT_S)


def docker_running() -> bool:
    """Say whether a Docker Engine answers."""
    try:
        with closing(_client()) as client:
            return bool(client.ping())
    except docker.errors.DockerException:
        return False


def find(name: str) -> Image | None:
    """Return the image called `name`, or None where this machine has none.

    Raises:
        docker.errors.DockerException: No Docker Engine answers.
    """
    with closing(_client()) as client:
        try:
            facts: dict[str, Any] = client.api.inspect_image(name)
        except docker.errors.ImageNotFound:
            return None
    labels: dict[str, str] = facts["Config"].get("Labels") or {}
    return Image(facts["Id"], labels.get(_HASH_LABEL, ""))


def image_id(environment: Environment, scale: Scale) -> str:
    """Return the id of a fresh image, for an attempt's fingerprint; raises as `require` does."""
    return _fresh(environment, scale).id


def require(environment: Environment, scale: Scale) -> str:
    """Return the name of an environment's image, having checked that it is there and fresh.

    Raises:
        ImageError: No Docker, no image, or a stale one; one line with the command that helps.
    """
    _fresh(environment, scale)
    return image_name(environment, scale)


def _fresh(environment: Environment, scale: Scale) -> Image:
    name, command = image_name(environment, scale), build_command(environment, scale)
    try:
        image = find(name)
    except docker.errors.DockerException as error:
        raise ImageError(_no_docker(scale)) from error
    if image is None:
        raise ImageError(f"the image {name} is missing on this machine; build it: {command}")
    if image.content_hash != content_hash(environment, scale):
        raise ImageError(f"the image {name} is stale: its files or pins have changed since; rebuild it: {command}")
    return image


def _no_docker(scale: Scale) -> str:
    other = ", or try the task without a sandbox of its own: -T sandbox=local" if scale.hardware == "cpu" else ""
    return f"no Docker Engine answers: start it and check with `docker version`{other}"


def build_command(environment: Environment, scale: Scale) -> str:
    """Return the command that builds an image, named by a scale that users can choose where one shares it."""
    if environment.image_assets:
        return f"rebench-inspect build {environment.slug} --scale {scale.name}"
    offered = [row.name for row in environment.scales if row.name in SCALE_NAMES and row.hardware == scale.hardware]
    name = scale.name if scale.name in offered or not offered else offered[0]
    return f"rebench-inspect build {environment.slug} --scale {name}"


def build(
    environment: Environment,
    scale: Scale,
    *,
    base_image: str | None = None,
    report: Callable[[str], None] = print,
    force: bool = False,
) -> str:
    """Build the image of an environment at a scale and return its name; assets that are missing are made first.

    Args:
        environment: The environment.
        scale: Chooses the hardware, hence the pins.
        base_image: What to build on; None lets `base_image.choose` find one.
        report: Receives progress, one line a call.
        force: Build all of it again, even where a fresh image exists.

    Raises:
        ImageError: No Docker, or the build failed.
        AssetError: An asset could not be made.
    """
    if not docker_running():
        raise ImageError(_no_docker(scale))
    if environment.image_assets:
        asset_making.ensure(environment.slug, scale.name, report)
    name, wanted = image_name(environment, scale), content_hash(environment, scale)
    found = find(name)
    if found and found.content_hash == wanted and not force:
        report(f"{name} is up to date (content hash {wanted[:12]}).")
        return name
    base = base_images.choose(base_image, report)
    report(f"Building {name} on {base} (content hash {wanted[:12]}).")
    with tempfile.TemporaryDirectory(prefix="rebench-build-") as folder:
        inputs = build_inputs.buildx_arguments(Path(folder), build_inputs.pins(environment, scale))
        if environment.image_assets:
            inputs += _asset_contexts(environment, scale, Path(folder))
        labels = _labels(environment, scale, wanted, base)
        base_images.run_visibly(_buildx(environment, name, base, [*inputs, *labels], force=force), report)
    return name


def _asset_contexts(environment: Environment, scale: Scale, folder: Path) -> list[str]:
    held = asset_store.lay_out(environment, scale.name, folder)
    return ["--build-context", f"public={held.public}", "--build-context", f"private={held.private}"]


def _buildx(environment: Environment, name: str, base: str, arguments: list[str], *, force: bool) -> list[str]:
    command = ["docker", "buildx", "build", "--progress", "plain", "--load", "--tag", name]
    command += ["--network", "host", "--allow", "network.host", "--build-arg", f"BASE_IMAGE={base}"]
    command += ["--build-context", f"base={sandbox_folder('base')}", *arguments]
    return [*command, *(["--no-cache"] if force else []), str(sandbox_folder(environment.slug))]


def _labels(environment: Environment, scale: Scale, wanted: str, base: str) -> list[str]:
    project = tomllib.loads((paths.DATA / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    labels = {
        "org.opencontainers.image.title": f"rebench-inspect: {environment.title}",
        "org.opencontainers.image.version": project["version"],
        "org.opencontainers.image.base.name": base,
        "rebench-inspect.environment": environment.slug,
        "rebench-inspect.hardware": scale.hardware,
        _HASH_LABEL: wanted,
    }
    return [word for name, value in labels.items() for word in ("--label", f"{name}={value}")]
