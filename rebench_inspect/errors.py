"""The failures of the suite, named after whose fault they are.

An agent's fault is no exception: it is a verdict with the outcome `invalid`. Everything here is somebody else's fault.
"""

import click


class RebenchError(click.ClickException):
    """Base of the suite's own errors.

    A `ClickException`, so that both `inspect eval` and `rebench-inspect` print one line instead of a traceback.
    """


class UsageError(RebenchError):
    """The evaluator asked for something that does not exist: the message names the value, the rule, what to type."""

    exit_code = 2


class ImageError(RebenchError):
    """A sandbox image is missing or stale; the message ends with the command that builds it."""


class ScorerFault(RebenchError):  # noqa: N818 - a fault is the word of the design
    """The scorer itself failed: no verdict, a malformed one, a crash. Never counts as a score of 0."""


class MachineFault(RebenchError):  # noqa: N818 - likewise
    """The machine failed: container gone, GPU lost, disk full. Never counts as a score of 0."""
