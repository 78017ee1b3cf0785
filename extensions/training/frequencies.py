"""CRAFT's heuristics: frequencies of the correct answers in a training split, counted once and registered as models.

`Random`, `AT-Random`, `MFA` and `AT-MFA` are the paper's. The others are ours: they know the kind of question, the
scene or both, which is all that a model can use without the question's words and the clip.
"""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from django.conf import settings
from django.db.models import Count, F, FilteredRelation, Q

from benchmarks.definitions.registry import find_benchmark
from benchmarks.disclosure import SCORER, with_expected
from benchmarks.models import Pack
from evaluation.models import Model, ModelRole
from extensions.training.core import registration
from extensions.training.core.checkpoints import TrainingMisused
from extensions.training.core.registration import enumeration, movable
from scenes.whole_files import whole

NAME, KIND = "frequencies", "frequencies"
FACETS = ("scene", "template", "answer")  # facets by which the counts are grouped


@dataclass(frozen=True)
class HeuristicRule:
    """What a heuristic knows about a question, and how it answers; the first of `knows` is dropped first."""

    slug: str
    title: str
    knows: tuple[str, ...]
    draws: bool = False


RULES = (
    HeuristicRule("random", "Random", (), draws=True),
    HeuristicRule("at-random", "AT-Random", ("answer",), draws=True),
    HeuristicRule("mfa", "MFA", ()),
    HeuristicRule("at-mfa", "AT-MFA", ("answer",)),
    HeuristicRule("template-mfa", "Template-MFA", ("template",)),
    HeuristicRule("scene-mfa", "Scene-MFA", ("scene", "answer")),
    HeuristicRule("scene-template-mfa", "Scene-Template-MFA", ("scene", "template")),
)
# Benchmark -> evaluated split -> training split of its setting.
FITTED_SPLITS: Mapping[str, Mapping[str, str]] = {
    "craft": {
        "easy-test": "easy-train",
        "easy-validation": "easy-train",
        "hard-test": "hard-train",
        "hard-validation": "hard-train",
    }
}


def fit(benchmark: str, pack_name: str = "") -> list[Model]:
    """Count the answers of every setting's training split, and create or update a model for each rule."""
    from evaluation.runs.lookup import find_pack

    if benchmark not in FITTED_SPLITS:
        find_benchmark(benchmark)
        raise TrainingMisused(f"{NAME} are fitted on the settings of {', '.join(FITTED_SPLITS)}, not on {benchmark}")
    pack = find_pack(benchmark, pack_name or None)
    trained_on = dict.fromkeys(FITTED_SPLITS[benchmark].values())
    counted = {split: rows for split in trained_on if (rows := counts_of(pack, split))}
    if not counted:
        raise TrainingMisused(f"{pack} has no questions with answers in the splits {', '.join(trained_on)}")
    return _registered(pack, counted)


def counts_of(pack: Pack, split: str) -> list[list[Any]]:
    """Rows of facet values, answer and count, sorted so that the same questions always give the same file."""
    named = {f"of_{name}": FilteredRelation("facets", condition=Q(facets__name=name)) for name in FACETS}
    items = with_expected(pack.items.in_split(split), to=SCORER).filter(expected__isnull=False).order_by()
    values = (F(f"of_{name}__value") for name in FACETS)
    rows = items.annotate(**named).values_list(*values, "expected").annotate(count=Count("pk", distinct=True))
    return sorted([*(value or "" for value in row[:-1]), row[-1]] for row in rows)


def _registered(pack: Pack, counted: Mapping[str, Sequence[Sequence[Any]]]) -> list[Model]:
    content = json.dumps({"facets": FACETS, "rows": counted}, separators=(",", ":"))
    digest = hashlib.sha256(content.encode()).hexdigest()
    # One file per content, so that unfinished runs of an earlier file still find theirs.
    path = Path(settings.VAR_DIR) / "models" / f"{pack.benchmark}-{NAME}" / f"{digest[:12]}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    with whole(path) as temporary:
        temporary.write_text(content, encoding="utf-8")
    splits = {test_split: split for test_split, split in FITTED_SPLITS[pack.benchmark].items() if split in counted}
    counts = {split: sum(row[-1] for row in rows) for split, rows in counted.items()}
    fitted = enumeration([registration.ON_SPLIT.format(questions=n, split=split) for split, n in counts.items()])
    return [_model(rule, pack, {"path": movable(path), "asked_on": splits}, digest, fitted) for rule in RULES]


def _model(rule: HeuristicRule, pack: Pack, options: Mapping[str, Any], digest: str, fitted: str) -> Model:
    model, _ = Model.objects.update_or_create(
        slug=f"{pack.benchmark}-{rule.slug}",
        defaults={
            "name": rule.title,
            "kind": KIND,
            "role": ModelRole.COUNTER,
            "options": {**options, "knows": list(rule.knows), "draws": rule.draws},
            "revision": digest,
            "made_here": True,
            "card": {
                "what": f"{registration.RULES[rule.slug]} {registration.BLIND.format(fitted=fitted, pack=pack.name)}",
                "organisation": registration.HERE,
                "family": "heuristic",
                "trained_on": registration.OF_PACK.format(fitted=fitted, pack=pack.name),
            },
        },
    )
    return model
