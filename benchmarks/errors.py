"""
BenchmarkError
├── UnknownBenchmark   no benchmark of this name: choose one that exists
├── BadRelease         the folder is not what the importer reads: mend the folder
├── ContentRefused     other content under a name that is taken: choose another name
└── UnknownScene       no such scene or test: choose one that exists
"""


class BenchmarkError(ValueError):
    """A mistake of the caller, in one sentence."""


class UnknownBenchmark(BenchmarkError):
    """No benchmark has this name."""


class BadRelease(BenchmarkError):
    """The folder is not the official layout of this benchmark."""


class ContentRefused(BenchmarkError):
    """Imported content never changes, and this is other content."""


class UnknownScene(BenchmarkError):
    """No scene or test has this name."""
