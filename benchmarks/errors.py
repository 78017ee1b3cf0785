"""
BenchmarkError
├── UnknownBenchmark   no benchmark of this name: choose one that exists
├── BadRelease         the folder is not what the importer reads: mend the folder
├── ContentRefused     other content under a name that is taken: choose another name
│   └── BeingImported  somebody imports a pack of this name right now: look again later
└── UnknownScene       no such scene or test: choose one that exists

StoreAway stands apart: it is nobody's mistake, and asking again later may mend it.
"""


class BenchmarkError(ValueError):
    """A mistake of the caller, in one sentence."""


class UnknownBenchmark(BenchmarkError):
    """No benchmark has this name."""


class BadRelease(BenchmarkError):
    """The folder is not the official layout of this benchmark."""


class ContentRefused(BenchmarkError):
    """Imported content never changes, and this is other content."""


class BeingImported(ContentRefused):
    """Somebody else imports a pack of this name at the same time."""


class UnknownScene(BenchmarkError):
    """No scene or test has this name."""


class StoreAway(Exception):
    """The media store can't be reached, is too slow, or refuses; says so in a sentence."""
