"""The commands `rebench-inspect assets list|fetch|make|verify`."""

import sys
from typing import NamedTuple

import click

from rebench_inspect import asset_making as making
from rebench_inspect import asset_store as store
from rebench_inspect.assets import How, Recipe, manifest, select
from rebench_inspect.environments import SCALE_NAMES

_ENVIRONMENT = click.argument("slug", metavar="[ENVIRONMENT]", required=False)
_FORCE = click.option("--force", is_flag=True, help="Again from nothing, although up to date.")


class _Chosen(NamedTuple):
    """The rows that a command is about, and all rows of the manifest."""

    recipes: tuple[Recipe, ...]
    known: tuple[Recipe, ...]


@click.group()
def assets() -> None:
    """Text, tokenizers and models: list them, make them offline, fetch the paper's, verify them."""


def _chosen(slug: str | None, scale: str | None, how: How | None = None) -> _Chosen:
    rows = manifest()
    offered = rows if scale else tuple(row for row in rows if row.scale in SCALE_NAMES)
    return _Chosen(select(offered, slug=slug, scale=scale, how=how), rows)


@assets.command("list")
@_ENVIRONMENT
@click.option("--scale", help="paper, single or mini; all where it is left out.")
def list_command(slug: str | None, scale: str | None) -> None:
    """List assets: source, size, who may see them, licence, state on this machine."""
    chosen = _chosen(slug, scale)
    for recipe in chosen.recipes:
        head = f"{recipe.scale} {recipe.name}: {recipe.source}; licence {recipe.licence}"
        click.echo(f"{click.style(head, bold=True)}; {_state(recipe, chosen.known)}")
        for line in _lines(recipe):
            click.echo(f"  {line}")


def _state(recipe: Recipe, known: tuple[Recipe, ...]) -> str:
    if store.is_made(recipe, {row.name: row for row in known if row.scale == recipe.scale}):
        return click.style("made", fg="green")
    return f"{'stale' if store.read(recipe) else 'not here'}: {recipe.command}"


def _lines(recipe: Recipe) -> list[str]:
    """Return a line for each asset: file, who may see it, size, hash; a machine's own ones once they are made."""
    record = store.read(recipe)
    sizes, hashes = (record.sizes, record.files) if record else ({}, {})
    return [
        f"{asset.file:18} {asset.visibility:7} {readable_size(sizes.get(asset.file, asset.size_bytes)):>12}  "
        + (hashes.get(asset.file) or asset.sha256 or "sha256 recorded at making")
        for asset in recipe.assets
    ]


def readable_size(size_bytes: int) -> str:
    """Return a size for people, in decimal MB or kB; a dash where it is not known before making."""
    if size_bytes >= 1e6:
        return f"{size_bytes / 1e6:,.1f} MB"
    return f"{size_bytes / 1e3:,.1f} kB" if size_bytes else "-"


@assets.command()
@_ENVIRONMENT
@click.option("--scale", default="mini", show_default=True, help="paper, single or mini.")
@_FORCE
def make(slug: str | None, scale: str, force: bool) -> None:
    """Make assets offline from packages (and what they need)."""
    _make(slug, scale, "make", force=force)


@assets.command()
@_ENVIRONMENT
@click.option("--scale", default="paper", show_default=True, help="paper; the other scales are made.")
@_FORCE
def fetch(slug: str | None, scale: str, force: bool) -> None:
    """Fetch assets from the hub at their pinned revisions (and what they need)."""
    _make(slug, scale, "fetch", force=force)


def _make(slug: str | None, scale: str, how: How, *, force: bool) -> None:
    chosen = _chosen(slug, scale, how)
    if not chosen.recipes:
        other = "fetch" if how == "make" else "make"
        click.echo(f"nothing to {how} at {scale}; try: rebench-inspect assets {other} --scale {scale}")
        return
    making.make(chosen.recipes, click.echo, known=chosen.known, force=force)
    click.echo(f"assets of {scale} are in {store.scale_folder(scale)}")


@assets.command()
@_ENVIRONMENT
@click.option("--scale", help="paper, single or mini; all that were made where it is left out.")
def verify(slug: str | None, scale: str | None) -> None:
    """Hash assets and compare with their records; exit 1 where one differs, or is missing at a named scale."""
    recipes = [recipe for recipe in _chosen(slug, scale).recipes if scale or store.read(recipe)]
    found = [problem for recipe in recipes for problem in store.problems(recipe)]
    for problem in found:
        name = f"{problem.recipe.scale} {problem.recipe.name}/{problem.file}"
        click.echo(f"{name}: {problem.what}; run: {problem.recipe.command}", err=True)
    click.echo(f"{sum(len(recipe.assets) for recipe in recipes) - len(found)} assets verified, {len(found)} wrong")
    if found:
        sys.exit(1)
