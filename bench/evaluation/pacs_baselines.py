"""PACS' trained baselines on the held-out questions of a pack: with and without sound, by required modality.

`python -m bench.evaluation.pacs_baselines [--benchmark tapped] [--pack NAME] [--split test]` runs every baseline that
`train_baseline` has registered (finished runs are reused), and prints the tables of docs/benchmarks/pacs-baselines.md
as JSON. Intervals and differences are clustered on groups of objects that are connected by pairs.
"""

import argparse
import json
import os
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "benchsite.settings")

import django

django.setup()

from benchmarks.models import Pack  # noqa: E402
from evaluation.models import Model, Run, RunState, Score  # noqa: E402
from evaluation.runs.lifecycle import start_run  # noqa: E402
from evaluation.runs.lookup import find_pack  # noqa: E402
from evaluation.training.pacs.recipes import BASELINES  # noqa: E402
from evaluation.workers.loop import work_on  # noqa: E402
from measures.intervals import clustered  # noqa: E402
from measures.paired import mean_difference  # noqa: E402

STRATEGIES = ("pair", "material")
LATE = "late-fusion"


@dataclass(frozen=True)
class Answered:
    """One answered question: its score, the required modality, and its group of objects."""

    right: float
    channel: str
    group: str


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--benchmark", default="tapped")
    parser.add_argument("--pack")
    parser.add_argument("--split", default="test")
    options = parser.parse_args()
    pack = find_pack(options.benchmark, options.pack)
    groups = groups_of(pack)
    found: dict[str, dict[str, Any]] = {}
    answers: dict[tuple[str, str], dict[str, Answered]] = {}
    for name, baseline in BASELINES.items():
        model = Model.objects.filter(slug=f"{options.benchmark}-{name}").first()
        for condition in conditions_of(baseline.heads) if model else ():
            results: dict[str, Answered] = {}
            for strategy in STRATEGIES:
                results |= answers_of(finished(model, pack, strategy, condition, options.split), groups)
            answers[name, condition] = results
            found[f"{name} {condition}"] = shares(results.values())
            print(name, condition, found[f"{name} {condition}"], file=sys.stderr)
    print(json.dumps({"pack": str(pack), "rows": found, "above": list(compared(answers))}))


def conditions_of(heads: Iterable[Iterable[str]]) -> list[str]:
    return ["audio" if "sound" in head else "no-audio" for head in heads]


def finished(model: Any, pack: Pack, strategy: str, condition: str, split: str) -> Run:
    """The finished run of the model's current weights, started now if there is none."""
    how: dict[str, Any] = {"strategy": strategy, "condition": condition, "split": split}
    runs = model.runs.filter(pack=pack, revision=model.revision, state=RunState.FINISHED, **how)
    if not (run := runs.order_by("pk").last()):
        run = start_run(model=model, pack=pack, **how)
        work_on(run.pk)
        run.refresh_from_db()
    return run


def groups_of(pack: Pack) -> dict[str, str]:
    """Object -> the first object of its group: objects that share a pair, directly or through others."""
    first: dict[str, str] = {}

    def root(name: str) -> str:
        while first.setdefault(name, name) != name:
            name = first[name]
        return name

    for key in pack.items.values_list("key", flat=True):
        one, other = sorted(map(root, key.partition("/")[0].split("_")))
        first[other] = one
    return {name: root(name) for name in first}


def answers_of(run: Run, groups: dict[str, str]) -> dict[str, Answered]:
    scores = Score.objects.filter(reading__response__cell__run=run).select_related("reading__response__cell__item")
    found = {}
    for score in scores.prefetch_related("reading__response__cell__item__facets"):
        item = score.reading.response.cell.item
        channel = "".join(item.facet_values("channel"))
        found[item.key] = Answered(float(score.value), channel, groups[item.key.partition("_")[0]])
    return found


def shares(results: Iterable[Answered]) -> dict[str, dict[str, Any]]:
    """Accuracy overall and by required modality, with clustered intervals."""
    known, found = list(results), {}
    for channel in ("", "sound", "sight", "both"):
        some = [one for one in known if channel in ("", one.channel)]
        if some:
            interval = clustered([one.right for one in some], [one.group for one in some])
            found[channel or "all"] = {
                "n": len(some),
                "groups": len({one.group for one in some}),
                "share": round(sum(one.right for one in some) / len(some), 4),
                "low": round(interval.low, 4),
                "high": round(interval.high, 4),
            }
    return found


def compared(answers: dict[tuple[str, str], dict[str, Answered]]) -> Iterable[dict[str, Any]]:
    """Yield the difference of late fusion with sound from every other row, paired by question."""
    best = answers.get((LATE, "audio"), {})
    for (name, condition), other in answers.items():
        both = [key for key in other if key in best] if (name, condition) != (LATE, "audio") else []
        if both:
            differences = [best[key].right - other[key].right for key in both]
            interval = mean_difference(differences, [best[key].group for key in both])
            yield {
                "than": f"{name} {condition}",
                "n": len(both),
                "difference": round(sum(differences) / len(differences), 4),
                "low": round(interval.low, 4),
                "high": round(interval.high, 4),
            }


if __name__ == "__main__":
    main()
