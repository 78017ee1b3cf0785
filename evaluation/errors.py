"""
EvaluationError
├── RunMisused       the caller asked for a run that can't be: a sentence that names what exists
├── LeaseLost        another worker has the shard: stop, nothing is missing
├── Stopped          this process was asked to end: the work goes back, nothing is missing
├── ClipUnreadable   this item's clip can't be asked about: an error of the item, the run goes on
└── ModelError
    ├── ModelBusy      rate limit, timeout, 5xx: try again later
    ├── ModelRefused   the model declined: a result, read as `refused`
    └── ModelMisused   bad key, missing weights, prompt too long: tell a person
        └── OutOfMemory   not even one question fits: a smaller model or a larger machine
"""


class EvaluationError(Exception):
    """Anything that goes wrong between an item and its score, said in words."""


class RunMisused(EvaluationError, ValueError):
    """The caller asked for a run that can't be."""


class ClipUnreadable(EvaluationError):
    """The clip can't be opened, or is shorter than it should be."""


class LeaseLost(EvaluationError):
    """The work went to another worker."""


class Stopped(EvaluationError):
    """This process was asked to end."""


class ModelError(EvaluationError):
    """The model did not answer."""


class ModelBusy(ModelError):
    """Waiting can mend it."""


class ModelRefused(ModelError):
    """The model declined to answer."""


class ModelMisused(ModelError):
    """Waiting can't mend it: a person must."""


class OutOfMemory(ModelMisused):
    """Not even one question fits into the memory of the device."""
