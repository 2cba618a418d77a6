"""The sandbox of an attempt, for Docker and for Kubernetes: strict templates, rendered from an environment's row."""

import hashlib
import json
import os
import tempfile
from pathlib import Path
from string import Template

from rebench_inspect import paths
from rebench_inspect.environments import Environment, Scale
from rebench_inspect.images import image_name


def compose_file(environment: Environment, scale: Scale, *, internet: bool, makes: bool = False) -> Path:
    """Return the absolute path of a sandbox's compose file, named after its own contents.

    Args:
        environment: The environment.
        scale: Gives the limits and the GPUs.
        internet: Whether the sandbox has a network at all.
        makes: Whether it is the sandbox that makes what all others read (see `machine_made`).
    """
    return _write("compose.yaml", render(environment, scale, internet=internet, makes=makes))


def values_file(environment: Environment, scale: Scale, *, internet: bool) -> Path:
    """Return the absolute path of the values of inspect-k8s-sandbox; arguments as in `compose_file`."""
    return _write("values.yaml", render(environment, scale, internet=internet, template="values.yaml"))


def render(
    environment: Environment, scale: Scale, *, internet: bool, template: str = "compose.yaml", makes: bool = False
) -> str:
    """Return the text of a sandbox's compose file, or of another template of the same row."""
    text = (paths.DATA / "sandboxes" / template).read_text(encoding="utf-8")
    known = {
        "image": image_name(environment, scale),
        "network_mode": "bridge" if internet else "none",
        "domains": '["*"]' if internet else "[]",
        "cpus": scale.cpus,
        "memory_gib": scale.memory_gib,
        "shm_gib": max(1, scale.memory_gib // 4),
        "volumes": json.dumps(_volumes(environment, scale, makes)),
        "deploy": json.dumps(_deploy(scale.gpus)),
        "resources": json.dumps(_resources(scale)),
    }
    return Template(text).substitute(known)


def _write(name: str, text: str) -> Path:
    folder = paths.cache_folder().resolve() / "compose" / hashlib.sha256(text.encode()).hexdigest()[:16]
    folder.mkdir(parents=True, exist_ok=True)
    # Replaced in one step: several evals may render the same file at once.
    handle, temporary = tempfile.mkstemp(dir=folder)
    with os.fdopen(handle, "w", encoding="utf-8") as file:
        file.write(text)
    return Path(temporary).replace(folder / name)


def _volumes(environment: Environment, scale: Scale, makes: bool) -> list[str]:
    """Bind what was made on this machine; Inspect permits no bind that an attempt could write to."""
    held = paths.made_folder(environment.slug, scale.name)
    mode = "" if makes else ":ro"
    return [f"{held}:{paths.IMAGE_PATHS.root}/made{mode}"] if held.is_dir() else []


def _deploy(gpus: int) -> dict[str, object]:
    """Reserve GPUs by the sample's metadata `gpu_0`, `gpu_1`, ...: a count would give every sample the first ones."""
    if not gpus:
        return {}
    chosen = [f"${{SAMPLE_METADATA_GPU_{index}:-{index}}}" for index in range(gpus)]
    device = {"driver": "nvidia", "device_ids": chosen, "capabilities": ["gpu"]}
    return {"resources": {"reservations": {"devices": [device]}}}


def _resources(scale: Scale) -> dict[str, object]:
    gpus = {"nvidia.com/gpu": scale.gpus} if scale.gpus else {}
    return {"cpu": scale.cpus, "memory": f"{scale.memory_gib}Gi", **gpus}
