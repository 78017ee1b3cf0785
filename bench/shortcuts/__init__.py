"""Shortcuts in Level-2 clips of GRASP: classifiers that see only a part of a clip, and a control that sees all of it.

`python -m bench.shortcuts` generates small clips, measures, stores results in `docs/benchmarks/grasp-shortcuts/` and
writes `docs/benchmarks/grasp-shortcuts.md` from them. Results of the current code are not measured again.
"""
