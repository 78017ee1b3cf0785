"""Pages of boards, items, comparisons, charts and snapshots, one module a page family."""
