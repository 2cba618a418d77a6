"""Packages by name and version, downloaded with the machine's own apt and pip, and unpacked."""

import shutil
import subprocess
import sys
from pathlib import Path

from recipes.job import RecipeError, say


def debian(spec: str, raw: Path) -> tuple[Path, str]:
    """Download and unpack a Debian package unless it is there; return its folder and the version that came.

    Args:
        spec: `name=version`. Where that version is gone from the sources, the one they offer is taken.
        raw: Keeps downloads and unpacked packages.

    Raises:
        RecipeError: apt is missing, or has no such package.
    """
    name, version = spec.split("=", 1)
    folder = raw / "unpacked" / name
    note = raw / "unpacked" / f"{name}.version"
    if not note.exists():
        archive = _downloaded(name, version, raw / "debian")
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        _run(["dpkg-deb", "-x", str(archive), str(folder)], raw)
        note.write_text(_run(["dpkg-deb", "-f", str(archive), "Version"], raw).strip(), encoding="utf-8")
    return folder, note.read_text(encoding="utf-8")


def _downloaded(name: str, version: str, folder: Path) -> Path:
    if shutil.which("apt-get") is None or shutil.which("dpkg-deb") is None:
        raise RecipeError("this machine has no apt-get")
    folder.mkdir(parents=True, exist_ok=True)
    for wanted in (f"{name}={version}", name):
        say(f"apt-get download {wanted}")
        try:
            _run(["apt-get", "download", "-qq", wanted], folder)
        except RecipeError:
            continue
        return max(folder.glob(f"{name}_*.deb"), key=lambda path: path.stat().st_mtime)
    raise RecipeError(f"apt-get cannot download {name}; `apt-get update` as root may help, then run the command again")


def pypi(spec: str, raw: Path, *, source: bool = False) -> tuple[Path, str]:
    """Download and unpack a package of the index that pip uses here, unless it is there; return folder and version.

    Args:
        spec: `name==version`.
        raw: Keeps downloads and unpacked packages.
        source: Take the source archive instead of the wheel.

    Raises:
        RecipeError: pip cannot get it.
    """
    name, version = spec.split("==", 1)
    folder = raw / "unpacked" / name.replace("-", "_")
    note = folder.parent / f"{folder.name}.version"
    if not note.exists():
        downloads = raw / "pypi" / name
        say(f"pip download {spec}")
        kind = ["--no-binary=:all:"] if source else ["--only-binary=:all:"]
        pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "download", "-q", "--no-deps", *kind]
        downloads.mkdir(parents=True, exist_ok=True)
        _run([*pip, "-d", str(downloads), spec], raw)
        shutil.rmtree(folder, ignore_errors=True)
        _unpack(next(path for path in sorted(downloads.iterdir()) if version in path.name), folder)
        note.write_text(version, encoding="utf-8")
    return folder, version


def _unpack(archive: Path, folder: Path) -> None:
    folder.mkdir(parents=True)
    if archive.suffix == ".whl":
        shutil.unpack_archive(archive, folder, "zip")
    else:
        shutil.unpack_archive(archive, folder, filter="data")


def _run(command: list[str], folder: Path) -> str:
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode:
        last = next(reversed(done.stderr.strip().splitlines()), "it printed nothing")
        raise RecipeError(f"`{' '.join(command)}` failed ({last}); check the network and run the same command again")
    return done.stdout
