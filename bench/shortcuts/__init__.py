"""What a Level-2 clip of GRASP gives away: classifiers that see only a part of it, and one that sees all.

`python -m bench.shortcuts` makes small clips, measures, keeps the results under `var/shortcuts` and writes
`docs/benchmarks/grasp-shortcuts.md`. What was measured with the present code is not measured again.
"""
