"""The admin pages of packs, drafts, activities and productions."""

from benchmarks.admin import activities, drafts, packs, productions  # noqa: F401  (they register their pages)
