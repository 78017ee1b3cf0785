"""
BenchmarkError
├── UnknownBenchmark   no benchmark has this name: choose one that exists
├── UnknownConcept     no concept has this name: choose one that exists
├── BadRelease         the folder is not in the official layout: mend the folder
├── ContentRefused     the name is taken by other content: choose another name
│   └── BeingImported  a pack of this name is being imported right now: look again later
└── UnknownScene       no such scene or test: choose one that exists

StoreAway is separate: it is not the caller's mistake, and a later retry may succeed.
"""


class BenchmarkError(ValueError):
    """A caller's mistake, described in one sentence."""


class UnknownBenchmark(BenchmarkError):
    """No benchmark has this name."""


class UnknownConcept(BenchmarkError):
    """No concept has this name."""


class BadRelease(BenchmarkError):
    """The folder is not the official layout of this benchmark."""


class ContentRefused(BenchmarkError):
    """The name belongs to a pack with other content; imported content never changes."""


class BeingImported(ContentRefused):
    """Another import of a pack with this name is under way."""


class UnknownScene(BenchmarkError):
    """No scene or test has this name."""


class StoreAway(Exception):
    """The media store can't be reached, is too slow or refuses; the message is one sentence."""
