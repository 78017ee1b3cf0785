"""What is looked at by hand, beside pictures of what it is about: a pair with its boxes, a round by its pairs."""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from django.utils.translation import gettext as _

from humantrials.annotation.filling import SIDES
from humantrials.annotation.pages import ShownObject, objects_of
from humantrials.annotation.vocabulary import IRRELEVANT, Text
from humantrials.models import AnnotationObject, AnnotationPair, QualificationRound, WrittenQuestion

CHOICES = {**dict(SIDES), IRRELEVANT: "Irrelevant"}


@dataclass(frozen=True)
class Given:
    """One answer of a round; `place` is its own among the grades, `grade` the one that was chosen already, or none."""

    place: int
    text: str
    said: Text
    why: str
    grade: int | None = None


@dataclass(frozen=True)
class Looked:
    """A pair and what is to be looked at about it; None where the pair's question was taken back meanwhile."""

    pair: AnnotationPair | None
    pictures: list[tuple[AnnotationObject, ShownObject]]
    given: list[Given]


def pictures_of(pair: AnnotationPair) -> list[tuple[AnnotationObject, ShownObject]]:
    return list(zip(pair.both, objects_of(pair, 0), strict=True))


def by_pair(one: QualificationRound, chosen: Mapping[int, int]) -> list[Looked]:
    """The answers of a round, each beside the pair that it is about; what was chosen for them, by their places."""
    pairs = _pairs(one)
    found: dict[AnnotationPair | None, list[Given]] = defaultdict(list)
    for key, given in _given(one):
        found[pairs.get(key)].append(replace(given, grade=chosen.get(given.place)))
    return [Looked(pair, pictures_of(pair) if pair else [], given) for pair, given in found.items()]


def _given(one: QualificationRound) -> Iterator[tuple[int, Given]]:
    """Each answer with the number of its pair, or with the question that it answers."""
    for place, own in enumerate(one.content.get("questions", ())):
        yield own["pair"], Given(place, own["text"], CHOICES[str(own["answer"])], ", ".join(own["properties"]))
    for place, (question, own) in enumerate(one.content.get("answers", {}).items()):
        said = _("Bad question") if own["bad"] else CHOICES.get(own["choice"], own["choice"])
        yield int(question), Given(place, own["text"], said, own["why"])


def _pairs(one: QualificationRound) -> dict[int, AnnotationPair]:
    """The pairs by what `_given` names them with."""
    clips = ("first__clip", "second__clip")
    if numbers := [own["pair"] for own in one.content.get("questions", ())]:
        found = one.trial.pairs.filter(number__in=numbers).select_related(*clips)
        return {pair.number: pair for pair in found}
    asked = WrittenQuestion.objects.filter(pk__in=[int(key) for key in one.content.get("answers", {})])
    return {question.pk: question.pair for question in asked.select_related(*(f"pair__{name}" for name in clips))}
