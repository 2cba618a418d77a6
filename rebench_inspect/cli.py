"""The command `rebench-inspect`."""

import platform
import shutil
import sys

import click
from rich.console import Console
from rich.table import Table

from rebench_inspect import environments
from rebench_inspect.environments import ENVIRONMENTS, SCALE_NAMES, Environment, Scale
from rebench_inspect.errors import UsageError

_ENVIRONMENT = click.argument("slug", metavar="ENVIRONMENT")
_SCALE = click.option("--scale", "scale_name", default="mini", show_default=True, help="paper, single or mini.")
_SANDBOX = click.option("--sandbox", "box", type=click.Choice(["docker", "local"]), default="docker", show_default=True)


_RESULTS = ("export", "flag", "report", "unflag")


class _Group(click.Group):
    """Imports the commands on results when one is asked for: pandas and matplotlib would delay every other command."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted([*super().list_commands(ctx), *_RESULTS, "assets"])

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name in _RESULTS:
            from rebench_inspect.analysis import commands

            return getattr(commands, cmd_name)
        if cmd_name == "assets":
            from rebench_inspect.asset_commands import assets

            return assets
        return super().get_command(ctx, cmd_name)


@click.group(cls=_Group)
@click.version_option(package_name="rebench-inspect")
def main() -> None:
    """RE-Bench as Inspect tasks: build images, check scorers, calibrate machines, report results."""


@main.command("list")
def list_command() -> None:
    """List environments with their scales."""
    table = Table("environment", "scale", "needs", "budget", "raw score")
    for row in ENVIRONMENTS:
        offered = [scale for scale in row.scales if scale.name in SCALE_NAMES]
        if not offered:
            table.add_row(row.slug, "-", f"paper: {row.paper_hardware}", "facts only", row.raw_unit)
        for scale in offered:
            table.add_row(row.slug, scale.name, _hardware(scale), f"{scale.budget_hours:g} h", row.raw_unit)
    Console().print(table)


def _hardware(scale: Scale) -> str:
    if scale.hardware == "cpu":
        return f"{scale.cpus} cores, {scale.memory_gib} GiB"
    return f"{scale.gpus} GPU ({scale.gpu_memory_gib} GiB), {scale.cpus} cores"


@main.command()
@_ENVIRONMENT
@_SCALE
@_SANDBOX
@click.option(
    "--base-image", help="Image to build on; default: an official Python image, else one made by debootstrap."
)
@click.option("--force", is_flag=True, help="Build again although the image is up to date.")
def build(slug: str, scale_name: str, box: str, base_image: str | None, force: bool) -> None:
    """Build the sandbox image of ENVIRONMENT (or, with --sandbox local, its unprotected stand-in)."""
    from rebench_inspect import images, local_sandbox

    environment, scale = _row(slug, scale_name)
    if box == "local":
        local_sandbox.build(environment, scale, click.echo)
    else:
        images.build(environment, scale, base_image=base_image, report=click.echo, force=force)


@main.command()
@_ENVIRONMENT
@_SCALE
@click.option("--only", default="", help="Run only cases whose name holds this text (known solutions always run).")
@click.option("--log-dir", default="logs/check", show_default=True)
@click.option("--bare", is_flag=True, help="Without Docker and Inspect: on a root machine with a GPU.")
def check(slug: str, scale_name: str, only: str, log_dir: str, bare: bool) -> None:
    """Run every known solution, broken submission, control and cheat of ENVIRONMENT; exit 1 on any surprise."""
    if bare:
        from rebench_inspect.bare import main as run_bare

        sys.exit(run_bare([slug, "--scale", scale_name, "--only", only]))
    from rebench_inspect import check as checks

    environment, scale = _row(slug, scale_name)
    if not checks.check(environment, scale, only, log_dir):
        sys.exit(1)


@main.command()
@_ENVIRONMENT
@_SCALE
@click.option("--repeats", default=5, show_default=True, type=click.IntRange(min=1))
@click.option("--log-dir", default="logs/calibrate", show_default=True)
def calibrate(slug: str, scale_name: str, repeats: int, log_dir: str) -> None:
    """Measure this machine's anchors of ENVIRONMENT: start and reference, several times each."""
    from rebench_inspect import check as checks

    environment, scale = _row(slug, scale_name)
    click.echo(f"anchors of this machine: {checks.calibrate(environment, scale, repeats, log_dir)}")


@main.command()
def demo() -> None:
    """Run the main job once at `mini`: start and reference through the real scorer. Needs no model."""
    from rebench_inspect.demo import demo as run_demo

    if not run_demo(Console()):
        sys.exit(1)


@main.command()
def doctor() -> None:
    """Say what this machine offers: Docker, images, cores, GPUs, local anchors."""
    from rebench_inspect import anchors, images

    running = images.docker_running()
    table = Table("what", "state", title="rebench-inspect doctor")
    table.add_row("Python", platform.python_version())
    table.add_row("Docker Engine", "answers" if running else "does not answer: start it, check with `docker version`")
    table.add_row("NVIDIA driver", "nvidia-smi found" if shutil.which("nvidia-smi") else "none")
    for environment in (row for row in ENVIRONMENTS if row.scales):
        for scale in (scale for scale in environment.scales if scale.name in SCALE_NAMES):
            file = anchors.local_file(environment, scale)
            table.add_row(f"{environment.slug} {scale.name} anchors", str(file) if file.is_file() else "not calibrated")
            if running:
                table.add_row(f"{environment.slug} {scale.name} image", _image_state(environment, scale))
    Console().print(table)


def _image_state(environment: Environment, scale: Scale) -> str:
    from rebench_inspect import images
    from rebench_inspect.errors import ImageError

    try:
        return f"fresh: {images.require(environment, scale)}"
    except ImageError as error:
        return error.message


def _row(slug: str, scale_name: str) -> tuple[Environment, Scale]:
    """Return the rows of the table that an evaluator named."""
    try:
        environment = environments.environment(slug)
        return environment, environment.scale(scale_name)
    except KeyError as error:
        raise UsageError(str(error.args[0])) from None
