"""The admin pages of packs and productions."""

from benchmarks.admin import packs, productions  # noqa: F401  (they register their pages)
