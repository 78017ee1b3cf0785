"""CRAFT's heuristics: how often each answer is right in a training split, counted once and registered as models.

`Random`, `AT-Random`, `MFA` and `AT-MFA` are the paper's. The others are ours: they are told which kind of question it
is, in which scene, or both, which is as far as anybody gets who looks at neither the question's words nor the clip.
"""

import hashlib
import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from django.conf import settings
from django.db.models import Count, F, FilteredRelation, Q

from benchmarks.models import Pack
from benchmarks.registry import find_benchmark
from evaluation.models import Model
from evaluation.training.learning import TrainingMisused
from evaluation.training.registering import movable

NAME, KIND = "frequencies", "frequencies"
FACETS = ("scene", "template", "answer")  # what the counts are by


@dataclass(frozen=True)
class Rule:
    """What an answerer is told of a question and what it makes of that; what is named first is forgotten first."""

    slug: str
    title: str
    knows: tuple[str, ...]
    what: str
    draws: bool = False


RULES = (
    Rule("random", "Random", (), "Draws among all answers that are right somewhere in the training split.", True),
    Rule("at-random", "AT-Random", ("answer",), "Is told the answer type and draws among its answers.", True),
    Rule("mfa", "MFA", (), "Always says the answer that is right most often in the training split."),
    Rule("at-mfa", "AT-MFA", ("answer",), "Is told the answer type and says its most frequent answer."),
    Rule("template-mfa", "Template-MFA", ("template",),
         "Ours: is told the kind of question, one of 48, and says the answer that is right most often there."),
    Rule("scene-mfa", "Scene-MFA", ("scene", "answer"),
         "Ours: is told scene and answer type and says the answer that is right most often there."),
    Rule("scene-template-mfa", "Scene-Template-MFA", ("scene", "template"),
         "Ours: is told scene and kind of question and says the answer that is right most often there."),
)  # fmt: skip
SETTINGS: Mapping[str, Mapping[str, str]] = {"craft": {"easy": "easy-train", "hard": "hard-train"}}
BLIND = (
    " It sees neither the question's words nor the clip. Fitted on the {questions} questions of the split {split} of"
    " the pack {pack}. An answer that a question cannot have counts as unread, and wrong as in the paper."
)


def fit(benchmark: str, pack_name: str = "") -> list[Model]:
    """Count the answers of every setting's training split and make or renew a model for each rule."""
    from evaluation.naming import find_pack

    if benchmark not in SETTINGS:
        find_benchmark(benchmark)
        raise TrainingMisused(f"{NAME} are fitted on the settings of {', '.join(SETTINGS)}, not on {benchmark}")
    pack = find_pack(benchmark, pack_name or None)
    counted = {setting: counts_of(pack, split) for setting, split in SETTINGS[benchmark].items()}
    empty = [SETTINGS[benchmark][setting] for setting, rows in counted.items() if not rows]
    if empty:
        raise TrainingMisused(f"{pack} has no questions with answers in the split {empty[0]}")
    return [
        model
        for setting, rows in counted.items()
        for model in _registered(pack, setting, SETTINGS[benchmark][setting], rows)
    ]


def counts_of(pack: Pack, split: str) -> list[list[Any]]:
    """Rows of facet values, answer and how often; sorted, so that the same questions always give the same file."""
    named = {f"of_{name}": FilteredRelation("facets", condition=Q(facets__name=name)) for name in FACETS}
    items = pack.items.in_split(split).filter(expected__isnull=False).order_by()
    values = (F(f"of_{name}__value") for name in FACETS)
    rows = items.annotate(**named).values_list(*values, "expected").annotate(count=Count("pk", distinct=True))
    return sorted([*(value or "" for value in row[:-1]), row[-1]] for row in rows)


def _registered(pack: Pack, setting: str, split: str, rows: Sequence[Sequence[Any]]) -> list[Model]:
    content = json.dumps({"facets": FACETS, "rows": rows}, separators=(",", ":"))
    digest = hashlib.sha256(content.encode()).hexdigest()
    # One file for each content: runs of an earlier one that are not done yet still find theirs.
    path = Path(settings.VAR_DIR) / "models" / f"{pack.benchmark}-{NAME}" / f"{setting}-{digest[:12]}.json"
    _write(path, content)
    told = {"pack": pack.name, "split": split, "questions": sum(row[-1] for row in rows)}
    fitted_on = told | {"manifest": pack.manifest_hash}
    return [_model(rule, pack.benchmark, setting, movable(path), digest, fitted_on) for rule in RULES]


def _model(rule: Rule, benchmark: str, setting: str, path: str, digest: str, fitted_on: Mapping[str, Any]) -> Model:
    model, _ = Model.objects.update_or_create(
        slug=f"{benchmark}-{rule.slug}-{setting}",
        defaults={
            "name": f"{rule.title}, {setting}",
            "kind": KIND,
            "options": {"path": path, "fitted_on": dict(fitted_on), "knows": list(rule.knows), "draws": rule.draws},
            "revision": digest,
            "made_here": True,
            "card": {
                "what": rule.what + BLIND.format(**fitted_on),
                "organisation": "this site",
                "family": "heuristic",
                "trained_on": "{split} of the pack {pack}: {questions} questions".format(**fitted_on),
            },
        },
    )
    return model


def _write(path: Path, content: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        temporary.write_text(content, encoding="utf-8")
        os.replace(temporary, path)
    finally:
        temporary.unlink(missing_ok=True)
