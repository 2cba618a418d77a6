"""Settings of the analysis tests."""

from hypothesis import settings

# Other work shares the machine: an example that is slow once says nothing about the code.
settings.register_profile("shared-machine", deadline=None)
settings.load_profile("shared-machine")
