"""Blind audit of a pack: finds questions that classifiers answer although they see only a part of the input."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace

import numpy as np
from django.db import transaction
from numpy.typing import NDArray
from sklearn.decomposition import PCA
from sklearn.ensemble import ExtraTreesClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import StandardScaler
from threadpoolctl import threadpool_limits

from benchmarks.disclosure import PUBLIC, Fact, open_answers, open_to
from benchmarks.models import OPEN_KINDS, Item, ItemFacet, Pack
from benchmarks.packs.clusters import are_dyads, labels_by_item
from leaderboard.audits import features
from leaderboard.models import BlindAudit
from leaderboard.standings.refresh import recompute
from measures.estimate import BlindResult, family, fold_of, stands, tested_constant_guess, tested_guesses

COMPONENTS, TREES = 24, 40


def logistic(**more: object) -> Pipeline:
    """Logistic regression, for additive effects."""
    return make_pipeline(StandardScaler(), LogisticRegression(C=0.3, max_iter=500, **more))


def trees(**more: object) -> ExtraTreesClassifier:
    """Extremely randomised trees (Geurts, Ernst & Wehenkel 2006), for thresholds and interactions."""
    return ExtraTreesClassifier(TREES, min_samples_leaf=4, max_features=0.5, random_state=0, **more)


def components(samples: int, **more: object) -> Pipeline:
    """Logistic regression on the first principal components of pictures, up to the number that the samples allow."""
    reduce = PCA(min(COMPONENTS, samples - 1), svd_solver="randomized", random_state=0)
    return make_pipeline(reduce, StandardScaler(), LogisticRegression(C=0.3, max_iter=500, **more))


FEWEST, FEWEST_CLUSTERS, FEWEST_AN_ANSWER = 40, 20, 10
MOST_ANSWERS = 30
LEAK = "leak"  # value of the facet "caution"; boards leave these items out with caution=out
# A classifier's input; the majority and the question's template need no classifier.
SEEN: dict[str, Callable[[Sequence[Item]], features.Seen]] = {
    "words": features.bag_of_words,
    "metadata": features.metadata,
    "first-frame": features.frame("first"),
    "last-frame": features.frame("last"),
    "motion": features.motion,
    "length": features.lengths,
    "file-size": features.file_sizes,
}


@dataclass(frozen=True)
class AnswerGroup:
    """Questions of one kind with the same answers, as numbers, and their clusters."""

    kind: str
    items: tuple[Item, ...]
    answers: NDArray[np.int64]
    options: int
    labels: NDArray[np.int64]
    folds: NDArray[np.int64]


@dataclass(frozen=True)
class BlindProbe:
    """One classifier on one group: its result, and the items that it answered right."""

    kind: str
    name: str
    result: BlindResult
    right: frozenset[int]
    p_holm: float = 1.0

    @property
    def leaks(self) -> bool:
        return stands(self.p_holm)

    @property
    def facts(self) -> dict[str, object]:
        rest = {"kind": self.kind, "probe": self.name, "p_holm": self.p_holm, "leaks": self.leaks}
        return rest | asdict(self.result)


def audit(pack: Pack) -> BlindAudit:
    """Audit the pack, mark the items that leak, recompute its boards and store the result."""
    groups, skipped = groups_of(pack)
    with threadpool_limits(1):  # the matrices are too small for threads
        probes = adjusted([probe for group in groups for probe in probed(group)])
    leaking = sorted(set().union(*(probe.right for probe in probes if probe.leaks)))
    return _store(pack, probes, skipped, leaking)


@transaction.atomic
def _store(pack: Pack, probes: list[BlindProbe], skipped: list[dict[str, str]], leaking: list[int]) -> BlindAudit:
    values = {"probes": [probe.facts for probe in probes], "skipped": skipped, "leaks": len(leaking)}
    found, _ = BlindAudit.objects.update_or_create(pack=pack, defaults=values)
    marks = ItemFacet.objects.filter(item__pack=pack, name="caution", value=LEAK)
    before = set(marks.values_list("item_id", flat=True))
    marks.exclude(item__in=leaking).delete()
    ItemFacet.objects.bulk_create(
        ItemFacet(item_id=item, name="caution", value=LEAK) for item in leaking if item not in before
    )
    if before != set(leaking):
        recompute(pack)
    return found


def adjusted(probes: list[BlindProbe]) -> list[BlindProbe]:
    """The probes with p-values Holm-corrected over all of them."""
    found = family([probe.result.p for probe in probes])
    return [replace(probe, p_holm=1.0 if p is None else p) for probe, p in zip(probes, found, strict=True)]


def groups_of(pack: Pack) -> tuple[list[AnswerGroup], list[dict[str, str]]]:
    """The pack's questions with public answers by kind, and why some kinds are left out."""
    items = pack.items.filter(open_to(PUBLIC, Fact.ANSWER)).askable().exclude(answer_kind__in=OPEN_KINDS).order_by("pk")
    found = items.select_related("pack").prefetch_related("facets", "media__clip__renditions")
    by_kind: dict[str, list[Item]] = defaultdict(list)
    for item in found:
        by_kind[item.kind].append(item)
    if not by_kind:
        return [], [{"kind": "all", "why": "no question has a public answer that can be right or wrong"}]
    kinds = [_group(kind, of) for kind, of in sorted(by_kind.items())]
    groups = [one for one in kinds if isinstance(one, AnswerGroup)]
    return groups, [
        {"kind": kind, "why": one} for kind, one in zip(sorted(by_kind), kinds, strict=True) if isinstance(one, str)
    ]


def _group(kind: str, items: list[Item]) -> AnswerGroup | str:
    """The group of these questions, or the reason why they can't be audited."""
    answers = _answers(items)
    counted = Counter(answers)
    places = [place for place, one in enumerate(answers) if counted[one] >= FEWEST_AN_ANSWER]
    if len(places) < FEWEST:
        return f"{len(places)} questions whose answers come {FEWEST_AN_ANSWER} times or more; {FEWEST} are needed"
    names = sorted({answers[place] for place in places})
    if len(names) > MOST_ANSWERS:
        return f"{len(names)} different answers; at most {MOST_ANSWERS} are learnt"
    chosen = tuple(items[place] for place in places)
    labels = _labels(chosen)
    clusters = labels if labels.ndim == 1 else labels[:, 0]
    if len(np.unique(clusters)) < FEWEST_CLUSTERS:
        return f"{len(np.unique(clusters))} clips or groups; {FEWEST_CLUSTERS} are needed"
    numbers = np.array([names.index(answers[place]) for place in places])
    options = max(len(names), min(len(item.options) or 2 for item in chosen))
    return AnswerGroup(kind, chosen, numbers, options, labels, fold_of(clusters))


def _answers(items: Sequence[Item]) -> list[str]:
    """The right answer of each item: its text if all items have the same options, else its place among the options."""
    right = [answer.expected or "" for answer in open_answers(items, to=PUBLIC).values()]
    if len({tuple(item.options) for item in items}) == 1:
        return right
    places = ({str(option): n for n, option in enumerate(item.options, 1)} for item in items)
    return [
        f"option {known[expected]}" if expected in known else expected
        for expected, known in zip(right, places, strict=True)
    ]


def _labels(items: Sequence[Item]) -> NDArray[np.int64]:
    found = labels_by_item([item.pk for item in items], benchmark=items[0].pack.benchmark)
    pairs = np.array([found[item.pk] for item in items], np.int64)
    return pairs if are_dyads(items[0].pack.benchmark) else pairs[:, 0]


def probed(group: AnswerGroup) -> Iterator[BlindProbe]:
    """Every probe that has input for this group."""
    most = _held_out(group, lambda learn, held: np.full(len(held), _most(group.answers[learn])))
    yield _probe(group, "majority", most, tested_constant_guess(1 / group.options, most, group.answers, group.labels))
    texts = features.templates(group.items)
    if len(set(texts)) > 1:
        yield _learnt(group, "template", _held_out(group, lambda learn, held: _by_text(group, texts, learn, held)))
    for name, seen_of in SEEN.items():
        seen = seen_of(group.items)
        if seen.size and (seen != seen[0]).any():
            yield _learnt(group, name, _held_out(group, lambda learn, held, s=seen: _guessed(group, s, learn, held)))


def _learnt(group: AnswerGroup, name: str, guesses: NDArray[np.int64]) -> BlindProbe:
    return _probe(group, name, guesses, tested_guesses(guesses, group.answers, group.labels, group.folds))


def _probe(group: AnswerGroup, name: str, guesses: NDArray[np.int64], result: BlindResult) -> BlindProbe:
    right = frozenset(group.items[int(place)].pk for place in np.flatnonzero(guesses == group.answers))
    return BlindProbe(group.kind, name, result, right)


def _held_out(group: AnswerGroup, guess: Callable[..., NDArray[np.int64]]) -> NDArray[np.int64]:
    """A cross-validated guess for each item, learnt from the other folds."""
    found = np.zeros(len(group.items), np.int64)
    for fold in np.unique(group.folds):
        learn, held = np.flatnonzero(group.folds != fold), np.flatnonzero(group.folds == fold)
        found[held] = guess(learn, held)
    return found


def _most(answers: NDArray[np.int64]) -> int:
    return int(np.bincount(answers).argmax())


def _by_text(
    group: AnswerGroup, texts: list[str], learn: NDArray[np.int64], held: NDArray[np.int64]
) -> NDArray[np.int64]:
    """The most frequent answer to questions of the same template, else to all questions."""
    known: dict[str, list[int]] = defaultdict(list)
    for place in learn:
        known[texts[place]].append(int(group.answers[place]))
    usual = _most(group.answers[learn])
    return np.array([_most(np.array(known[texts[place]])) if texts[place] in known else usual for place in held])


def _guessed(
    group: AnswerGroup, seen: features.Seen, learn: NDArray[np.int64], held: NDArray[np.int64]
) -> NDArray[np.int64]:
    """The likeliest answers by the mean of a linear classifier and of trees, with answers weighted equally.

    It is the mean so that nobody can choose the better one afterwards.
    """
    answers, balanced = group.answers[learn], {"class_weight": "balanced"}
    if len(np.unique(answers)) < 2:
        return np.full(len(held), answers[0])
    is_picture = seen.shape[1] > 2 * len(learn) or seen.shape[1] > 500
    linear = components(len(learn), **balanced) if is_picture else logistic(**balanced)
    models = [linear] if is_picture else [linear, trees(**balanced)]
    probabilities = [model.fit(seen[learn], answers).predict_proba(seen[held]) for model in models]
    return models[0].classes_[np.mean(probabilities, axis=0).argmax(axis=1)]
