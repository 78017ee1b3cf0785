"""
EvaluationError
├── RunMisused       the caller asked for an impossible run; the message lists what exists
├── Stopped          this process has to stop: the shard goes back, nothing is lost
├── ClipUnreadable   this item's clip can't be shown: the item fails, the run goes on
└── ModelError
    ├── ModelOverloaded      rate limit, timeout, 5xx: try again later
    └── ModelMisused   bad key, missing weights, prompt too long: tell a person
        ├── CeilingReached   the run's ceiling of money or tokens: raise it and resume
        └── OutOfMemory   not even one question fits: use a smaller model or a larger machine
"""


class EvaluationError(Exception):
    """Anything that goes wrong between an item and its score, with a readable message."""


class RunMisused(EvaluationError, ValueError):
    """The caller asked for a run that is impossible."""


class ClipUnreadable(EvaluationError):
    """The clip can't be opened, or is shorter than expected."""


class Stopped(EvaluationError):
    """This process must stop."""


class ModelError(EvaluationError):
    """The model gave no answer."""


class ModelOverloaded(ModelError):
    """The model is overloaded: trying again later may help."""


class ModelMisused(ModelError):
    """A person must fix the setup: waiting does not help."""


class CeilingReached(ModelMisused):
    """The next reply could pass the ceiling that was set for the run."""


class OutOfMemory(ModelMisused):
    """Not even one question fits into the memory of the device."""
