"""What an image build takes from the evaluator's machine, written into one temporary folder.

Pins and wheels become named build contexts. The package index, apt's sources, proxies and the CA bundle become BuildKit
secrets, so that a build works wherever the evaluator's own pip and apt do and nothing of them stays in the image.
"""

import ast
import os
import shutil
import ssl
import subprocess
import sys
import tomllib
from collections.abc import Iterable, Mapping
from pathlib import Path

from rebench_inspect import paths
from rebench_inspect.environments import Environment, Scale

_CA_FILE = "/run/secrets/ca.crt"
_WHEELS = "/run/wheels"
_PIP_KEPT = ("index-url", "extra-index-url", "trusted-host", "proxy", "timeout", "retries", "no-index")
_APT_KEPT = ("Acquire::http::", "Acquire::https::", "Acquire::Retries")
_APT_CONF = """\
Dir::Etc::sourcelist "/run/secrets/apt.list";
Dir::Etc::sourceparts "-";
APT::Sandbox::User "root";
"""
_APT_SOURCE = "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $(SITE) $(RELEASE) $(COMPONENT)"
Groups = Mapping[str, list[str | dict[str, str]]]
"""The dependency groups of pyproject by name."""

_PROXIES = ("http_proxy", "https_proxy", "no_proxy")


def pins(environment: Environment, scale: Scale) -> dict[str, str]:
    """Return the requirements files of an image by name, from the dependency groups of pyproject."""
    project = tomllib.loads((paths.DATA / "pyproject.toml").read_text(encoding="utf-8"))
    groups: Groups = project["dependency-groups"]
    trusted = _group(groups, "image-trusted")
    trusted += _group(groups, "image-trusted-cuda") if scale.hardware == "cuda" else []
    chosen = {"trusted.txt": trusted, "work.txt": _group(groups, environment.image_groups[scale.hardware])}
    return {name: "\n".join(requirements) + "\n" for name, requirements in chosen.items()}


def _group(groups: Groups, name: str) -> list[str]:
    """Return the requirements of a dependency group, those of the groups that it includes among them (PEP 735)."""
    found: list[str] = []
    for entry in groups[name]:
        found += [entry] if isinstance(entry, str) else _group(groups, entry["include-group"])
    return found


def buildx_arguments(folder: Path, requirements: Mapping[str, str]) -> list[str]:
    """Write the inputs of a build into `folder` and return the `docker buildx build` arguments that name them.

    Args:
        folder: An empty folder that only the caller can read; secrets are files in it.
        requirements: Text of the requirements files by name.
    """
    for context in ("pins", "wheels", "secrets"):
        (folder / context).mkdir()
    for name, text in requirements.items():
        (folder / "pins" / name).write_text(text, encoding="utf-8")
    settings = pip_settings()
    gather_wheels(settings.get("find-links", "").split(), folder / "wheels")
    arguments = ["--build-context", f"pins={folder / 'pins'}", "--build-context", f"wheels={folder / 'wheels'}"]
    for name, text in _secrets(settings).items():
        (folder / "secrets" / name).write_text(text, encoding="utf-8")
        arguments += ["--secret", f"id={name},src={folder / 'secrets' / name}"]
    for name in _PROXIES:
        for spelling in (name, name.upper()):
            arguments += ["--build-arg", spelling] if spelling in os.environ else []
    return arguments


def _secrets(settings: Mapping[str, str]) -> dict[str, str]:
    bundle = _ca_bundle(settings)
    found = {"pip.conf": pip_conf(settings), "apt.list": apt_sources(), "ca.crt": bundle}
    if found["apt.list"]:
        found["apt.conf"] = _apt_conf(with_ca=bool(bundle))
    return {name: text for name, text in found.items() if text}


def pip_settings() -> dict[str, str]:
    """Return the options that pip would use here, environment variables and configuration files merged."""
    for pip in ([sys.executable, "-m", "pip"], ["pip"], ["pip3"]):
        if shutil.which(pip[0]) is None:
            continue
        listed = subprocess.run([*pip, "config", "list"], capture_output=True, text=True, check=False)
        if listed.returncode == 0:
            return parse_pip_config(listed.stdout)
    return {}


def parse_pip_config(listing: str) -> dict[str, str]:
    """Return the options in the output of `pip config list`; `install.` beats `global.`, the environment beats both."""
    options: dict[str, str] = {}
    for scope in ("global.", "install.", ":env:."):
        for line in listing.splitlines():
            key, equals, value = line.partition("=")
            if equals and key.startswith(scope):
                options[key.removeprefix(scope).replace("default-timeout", "timeout")] = str(ast.literal_eval(value))
    return options


def pip_conf(settings: Mapping[str, str]) -> str:
    """Return a pip configuration for inside the build: remote places as they are, local wheels from the context."""
    lines = ["[global]"]
    for key in _PIP_KEPT:
        values = _remote(settings.get(key, "").split())
        lines += [f"{key} = " + "\n    ".join(values)] if values else []
    links = [_WHEELS, *(link for link in _remote(settings.get("find-links", "").split()) if "://" in link)]
    return "\n".join([*lines, "find-links = " + "\n    ".join(links), ""])


def _remote(values: Iterable[str]) -> list[str]:
    return [value for value in values if not value.startswith("file:")]


def gather_wheels(links: Iterable[str], folder: Path) -> None:
    """Put the wheels of every local find-links folder into `folder`, as hard links where the file system allows."""
    for link in links:
        for wheel in sorted(Path(link.removeprefix("file://")).glob("*.whl")):
            target = folder / wheel.name
            if target.exists():
                continue
            try:
                target.hardlink_to(wheel)
            except OSError:
                shutil.copyfile(wheel, target)


def _ca_bundle(settings: Mapping[str, str]) -> str:
    named = (settings.get("cert"), os.environ.get("SSL_CERT_FILE"), os.environ.get("REQUESTS_CA_BUNDLE"))
    usual = (ssl.get_default_verify_paths().cafile, "/etc/ssl/certs/ca-certificates.crt")
    for candidate in (*named, *usual):
        if candidate and Path(candidate).is_file():
            return Path(candidate).read_text(encoding="utf-8", errors="replace")
    return ""


def apt_sources(template: str = _APT_SOURCE) -> str:
    """Return this machine's own sources of Debian packages, one a line; empty where it has none.

    Args:
        template: What apt prints of each source.
    """
    if shutil.which("apt-get") is None:
        return ""
    command = ["apt-get", "indextargets", "--format", template, "Created-By: Packages", "Origin: Debian"]
    return subprocess.run(command, capture_output=True, text=True, check=False).stdout


def _apt_conf(*, with_ca: bool) -> str:
    dump = subprocess.run(["apt-config", "dump", "Acquire"], capture_output=True, text=True, check=False).stdout
    ours = [_APT_CONF, f'Acquire::https::CAInfo "{_CA_FILE}";\n' if with_ca else ""]
    kept = [line for line in dump.splitlines(keepends=True) if line.startswith(_APT_KEPT) and "::CAInfo" not in line]
    return "".join([*kept, *ours])
