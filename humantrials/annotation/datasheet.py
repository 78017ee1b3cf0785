"""The datasheet of a data set (after Gebru et al. 2021), filled from its numbers; what nobody counted is not said."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from django.template.loader import render_to_string

from humantrials.annotation.dataset import Dataset
from humantrials.annotation.material_subset import MaterialPoint
from humantrials.annotation.pairing import SPLITS
from humantrials.annotation.vocabulary import REASONS

STAGES = {"objects": "A, boxes and materials", "questions": "B, questions", "answers": "C, reassignment",
          "checks": "D, quality check"}  # fmt: skip


def datasheet_of(dataset: Dataset, subset: Sequence[MaterialPoint]) -> str:
    """In Markdown."""
    figures: Mapping[str, Any] = dataset.figures
    materials = Counter(material for one in dataset.objects for material in one.materials)
    properties = Counter(name for one in dataset.questions for name in one.properties)
    seconds = sorted(one.seconds for one in dataset.objects)
    facts = {
        "dataset": dataset,
        "figures": figures,
        "splits": [_split(dataset, subset, split) for split in SPLITS],
        "stages": [(title, figures["people"][name], figures["answers"][name]) for name, title in STAGES.items()],
        "dropped": [
            (what, [(REASONS.get(code, code), count) for code, count in counts["reasons"].items()])
            for what, counts in (
                ("clips", figures["objects"]), ("questions", figures["questions"]),
                ("answers of writers", figures["candidates"]["written"]),
                ("reassigned questions", figures["candidates"]["assigned"]),
            )
        ],
        "materials": materials.most_common(), "properties": properties.most_common(),
        "shortest": seconds[0], "middle": seconds[len(seconds) // 2], "longest": seconds[-1],
        "hours": sum(seconds) / 3600,
    }  # fmt: skip
    return render_to_string("humantrials/annotation/datasheet.md", facts)


def _split(dataset: Dataset, subset: Sequence[MaterialPoint], split: str) -> dict[str, object]:
    points = [point for point in dataset.points if point.split == split]
    return {
        "name": split,
        "objects": sum(one.split == split for one in dataset.objects),
        "pairs": len({point.pair for point in points}),
        "points": len(points),
        "first": sum(point.label == 0 for point in points),
        "second": sum(point.label == 1 for point in points),
        "questions": len({point.question for point in points}),
        "material": sum(point.split == split for point in subset),
    }
