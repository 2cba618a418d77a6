"""Programs that make assets from packages, or fetch the paper's. Run by `rebench-inspect assets` with their own Python.

Each module with a `prepare(raw, public, private, job)` is a recipe: `raw` keeps downloads and checkpoints, `public` is
what an agent may see, `private` what only the scorer may see.
"""
