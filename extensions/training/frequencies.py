"""CRAFT's heuristics: frequencies of the correct answers in a training split, counted once and registered as models.

A model answers by how often each answer is correct; it uses neither question nor clip.

`Random`, `AT-Random`, `MFA` and `AT-MFA` are the paper's. The others are ours: they know the kind of question, the
scene or both, which is all that a model can use without the question's words and the clip.
"""

import hashlib
import json
import random
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from django.conf import settings
from django.db.models import Count, F, FilteredRelation, Q

from benchmarks.definitions.registry import find_benchmark
from benchmarks.disclosure import SCORER, with_expected
from benchmarks.models import Pack
from evaluation.adapters.base import REPLY, Reply, Request, at_once
from evaluation.errors import ModelMisused
from evaluation.models import Model, ModelRole
from extensions.training.core.checkpoints import TrainingMisused
from extensions.training.core.registration import HERE, enumeration, movable
from scenes.whole_files import whole

NAME, KIND = "frequencies", "frequencies"
FACETS = ("scene", "template", "answer")  # facets by which the counts are grouped


@dataclass(frozen=True)
class HeuristicRule:
    """What a heuristic knows about a question, and how it answers; the first of `knows` is dropped first."""

    slug: str
    title: str
    knows: tuple[str, ...]
    what: str  # on its card
    draws: bool = False


THERE = "says the answer that is right most often there."
RULES = (
    HeuristicRule(
        "random", "Random", (), "Draws among all answers that are right somewhere in the training split.", True
    ),
    HeuristicRule("at-random", "AT-Random", ("answer",), "Is told the answer type and draws among its answers.", True),
    HeuristicRule("mfa", "MFA", (), "Always says the answer that is right most often in the training split."),
    HeuristicRule("at-mfa", "AT-MFA", ("answer",), "Is told the answer type and says its most frequent answer."),
    HeuristicRule(
        "template-mfa", "Template-MFA", ("template",), f"Ours: is told the kind of question, one of 48, and {THERE}"
    ),
    HeuristicRule("scene-mfa", "Scene-MFA", ("scene", "answer"), f"Ours: is told scene and answer type and {THERE}"),
    HeuristicRule(
        "scene-template-mfa",
        "Scene-Template-MFA",
        ("scene", "template"),
        f"Ours: is told scene and kind of question and {THERE}",
    ),
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
    from evaluation.runs.spec import find_pack

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
    fitted = enumeration([f"{count} questions of {split}" for split, count in counts.items()])
    return [_model(rule, pack, {"path": movable(path), "asked_on": splits}, digest, fitted) for rule in RULES]


def _model(rule: HeuristicRule, pack: Pack, options: Mapping[str, Any], digest: str, fitted: str) -> Model:
    blind = (
        "It sees neither the question's words nor the clip. Asked about either setting it goes by that setting's"
        f" training split: {fitted}, of the pack {pack.name}. An answer that a question cannot have counts as unparsed,"
        " and wrong as in the paper."
    )
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
                "what": f"{rule.what} {blind}",
                "organisation": HERE,
                "family": "heuristic",
                "trained_on": f"{fitted}, pack {pack.name}",
            },
        },
    )
    return model


Cell = tuple[str, ...]  # values of the known facets


class FrequencyModel:
    """A baseline with the counts of the file `path`. For unseen values it drops the facets that it `knows`, in order.

    With `draws` it picks uniformly among the answers that were ever correct; otherwise it gives the most frequent
    answer, and among equally frequent ones the first by alphabet. `asked_on` maps each split to the training split
    whose counts are used, because CRAFT's settings have two divisions into splits.
    """

    def __init__(
        self, *, path: str, asked_on: Mapping[str, str], knows: Sequence[str] = (), draws: bool = False
    ) -> None:
        content = _content_of(path)
        self.knows, self.draws, self.path, self.asked_on = tuple(knows), draws, path, dict(asked_on)
        try:
            places = [tuple(content["facets"]).index(name) for name in self.knows]
            self.fitted_on = {split: sum(int(row[-1]) for row in rows) for split, rows in content["rows"].items()}
            self.cells = {split: _counted(content["rows"][split], places) for split in set(asked_on.values())}
        except (KeyError, TypeError, ValueError, IndexError) as error:
            raise ModelMisused(
                f"{path}: not counts of answers by {', '.join(self.knows) or 'nothing'} ({error!r})"
            ) from None

    @cached_property
    def description(self) -> dict[str, Any]:
        return {
            "device": "none",
            "what": "draws among the answers" if self.draws else "says the most frequent answer",
            "is_told": ", ".join(self.knows) or "nothing",
            "fitted_on": ", ".join(f"{count} questions of {split}" for split, count in self.fitted_on.items()),
            "counts": hashlib.sha256(_file_of(self.path).read_bytes()).hexdigest(),
        }

    @staticmethod
    def check_options(options: Mapping[str, Any]) -> None:
        """Raise ModelMisused for wrong options, without reading the counts."""
        if not options.get("path") or not isinstance(options.get("asked_on"), Mapping):
            raise ModelMisused("options path and asked_on: `train_baseline frequencies` writes both")

    def answer(self, requests: Iterable[Request]) -> Iterator[Reply]:
        return at_once(self._reply(request) for request in requests)

    def _reply(self, request: Request) -> Reply:
        missing = [name for name in self.knows if not request.facets.get(name)]
        if missing:
            return Reply("", error=f"this question has no {missing[0]}, by which the counts are grouped")
        if request.split not in self.asked_on:
            return Reply("", error=f"not fitted for the split {request.split!r}; there is: {', '.join(self.asked_on)}")
        cells = self.cells[self.asked_on[request.split]]
        counts = _nearest(cells, tuple(request.facets[name][0] for name in self.knows))
        if self.draws:
            text = random.Random(request.seed).choice(sorted(counts))  # noqa: S311
        else:
            text = min(counts, key=lambda answer: (-counts[answer], answer))
        return Reply(text, turns=(text,) * request.turns.count(REPLY))


def _nearest(cells: Mapping[Cell, Counter[str]], cell: Cell) -> Counter[str]:
    """The counts of this cell, or of the narrowest wider cell seen in training; facets are dropped in order."""
    return next(cells[cell[forgotten:]] for forgotten in range(len(cell) + 1) if cell[forgotten:] in cells)


def _counted(rows: Sequence[Sequence[Any]], places: Sequence[int]) -> dict[Cell, Counter[str]]:
    """The counts of every cell and every wider cell, from rows of facet values, answer and count."""
    cells: dict[Cell, Counter[str]] = {(): Counter()}
    for *values, answer, count in rows:
        whole = tuple(str(values[place]) for place in places)
        for forgotten in range(len(whole) + 1):
            cells.setdefault(whole[forgotten:], Counter())[str(answer)] += int(count)
    if not cells[()]:
        raise ValueError("no answers")
    return cells


def _file_of(path: str) -> Path:
    """The file; a relative path starts at VAR_DIR, so that the site's state can be moved as a whole."""
    return Path(settings.VAR_DIR) / path


def _content_of(path: str) -> Any:
    try:
        return json.loads(_file_of(path).read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise ModelMisused(f"{_file_of(path)}: no counts of answers here ({error})") from None
