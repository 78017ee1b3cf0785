"""Measures each classifier on the clips of one study."""

import json
import shutil
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bench.shortcuts.cells import CONTROL, OF_THE_VIOLATION
from bench.shortcuts.classifiers import Learner, area_of, components, logistic, trees
from bench.shortcuts.clips import Stack, joined
from bench.shortcuts.studies import Study
from bench.shortcuts.tables import columns
from measures.roc import Area


def measure_frames(study: Study, out: Path) -> None:
    """Measure every cell of the study except the control, storing each result at once."""
    clips = joined(
        study, out, "implausible", "pair", "redraws", "size", "length", "telltale", "parameters", "first", "last"
    )
    redraws = [int(clips["redraws"][clips["implausible"] == answer].sum()) for answer in (False, True)]
    study.keep(out, redraws=redraws)
    for sight, measure in SIGHT_MEASURES.items():
        if not study.has(out, sight):
            began = time.perf_counter()
            cell = measure(study, clips)
            study.keep(out, **{sight: cell | {"seconds": round(time.perf_counter() - began, 1)}})


def measure_control(study: Study, out: Path) -> None:
    """Measure the control, and delete the clips once no measurement needs them."""
    began = time.perf_counter()
    clips = joined(study, out, "implausible", "pair", "motion", "rest")
    count = clips["motion"].shape[1]
    seen = np.concatenate([clips["motion"], clips["rest"].reshape(len(clips["rest"]), -1)], axis=1)
    numbers, pictures = slice(0, count), slice(count, None)
    cell = _cell([_of(numbers, logistic), _of(numbers, trees), _of(pictures, components)], seen, clips)
    study.keep(out, **{CONTROL: cell | {"seconds": round(time.perf_counter() - began, 1)}})
    if all(study.has(out, sight) for sight in SIGHT_MEASURES):
        shutil.rmtree(study.path(out, ""), ignore_errors=True)


def _of(columns: slice, learner: Learner) -> Learner:
    """The learner, limited to these columns."""
    return lambda learn, answers, held: learner(learn[:, columns], answers, held[:, columns])


def _parameters(study: Study, clips: Stack) -> dict[str, Any]:
    rows = [json.loads(text) for text in clips["parameters"]]
    names, values = columns(rows, OF_THE_VIOLATION.get(study.test, ()))
    cell = _cell([logistic, trees], values, clips)
    return cell | {"columns": len(names), "telling": _telling(names, values, clips) if cell["differing"] else []}


def _telling(names: list[str], values: NDArray, clips: Stack) -> list[str]:
    """Names of up to ten columns that differ within pairs, those that differ in most pairs first."""
    order = np.lexsort((clips["pair"], clips["implausible"]))
    plausible, implausible = np.split(values[order], 2)
    differs = (plausible != implausible).sum(axis=0)
    return [f"{names[column]} ({differs[column]})" for column in np.argsort(-differs)[:10] if differs[column]]


def _size(study: Study, clips: Stack) -> dict[str, Any]:
    means = [round(float(clips["size"][clips["implausible"] == answer].mean())) for answer in (False, True)]
    return _cell([logistic, trees], clips["size"][:, None].astype(float), clips) | {"bytes": means}


def _length(study: Study, clips: Stack) -> dict[str, Any]:
    lengths = sorted({(int(frames), float(seconds)) for frames, seconds in clips["length"]})
    return _cell([logistic, trees], clips["length"].astype(float), clips) | {"lengths": lengths[:10]}


def _telltale(study: Study, clips: Stack) -> dict[str, Any]:
    return _cell([logistic, trees], clips["telltale"], clips)


def _frame(name: str) -> Callable[[Study, Stack], dict[str, Any]]:
    def measure(study: Study, clips: Stack) -> dict[str, Any]:
        from bench.shortcuts.networks import picture_net

        chosen = clips["pair"] < study.frames
        some = {key: clips[key][chosen] for key in ("implausible", "pair", name)}
        return _cell([components, picture_net], some[name], some)

    return measure


SIGHT_MEASURES: dict[str, Callable[[Study, Stack], dict[str, Any]]] = {
    "parameters": _parameters,
    "size": _size,
    "length": _length,
    "telltale": _telltale,
    "first": _frame("first"),
    "last": _frame("last"),
}


def _cell(learners: list[Learner], seen: NDArray, clips: Stack) -> dict[str, Any]:
    area, differing = area_of(learners, seen, clips["implausible"], clips["pair"])
    return _area_facts(area) | {"clips": len(seen) // 2, "differing": differing}


def _area_facts(area: Area) -> dict[str, Any]:
    interval = area.interval()
    return {"area": area.value, "low": interval.low, "high": interval.high, "p": area.p_value()}
