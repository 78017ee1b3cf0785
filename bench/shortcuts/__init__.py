"""What a Level-2 clip of GRASP gives away: classifiers that see only a part of it, and one that sees all.

`python -m bench.shortcuts` makes small clips, measures, keeps the results in `docs/benchmarks/grasp-shortcuts/` and
writes `docs/benchmarks/grasp-shortcuts.md` from them. What was measured with the present code is not measured again.
"""
