"""Answers of a rating study: counted for its page, and as a file with one row a value."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from benchmarks.definitions.rated_dimensions import CANT_TELL, ratings_in
from extensions.generated.models import GeneratedClip, RatedClip
from extensions.generated.naming import are_named
from extensions.generated.rating.designs import cell_of
from extensions.generated.rating.pages import (
    BREAK,
    KIND,
    PAIR,
    SEEN,
    THREE,
    FormPage,
    PairPage,
    RadioGroup,
    dimension_in,
    of_each_clip,
)
from humantrials.kinds import Facts
from humantrials.models import Trial
from humantrials.protocols import find_protocol
from humantrials.protocols.protocol import Text
from humantrials.results.exports import write_csv

COLUMNS = (
    *("study", "simulated", "person", "prompt", "take", "page", "question", "dimension", "value", "seconds", "counts"),
    *("clip_set", "generator", "clip_set_b", "generator_b"),
)


@dataclass(frozen=True)
class GroupCount:
    """The answers to one question: how many, how many can't tell, and how many chose each step."""

    question: Text
    answers: int
    cant_tell: int
    steps: tuple[tuple[str, int], ...]


def values_in(answer: str, page: FormPage) -> dict[str, str]:
    """The values of a stored answer by what was asked: `A.PC` of three clips; of a break `break`, `kind`…"""
    if isinstance(page, PairPage):
        return {PAIR: answer}
    if page.groups[0].name.startswith(f"{THREE[0]}."):
        each = zip(THREE, of_each_clip(answer, len(THREE)), strict=True)
        return {f"{clip}.{name}": value for clip, own in each for name, value in ratings_in(own).items()}
    return ratings_in(answer) or {BREAK: answer}


def counts_of(trial: Trial, answers: Iterable[str]) -> list[GroupCount]:
    """These answers by question of the study's page."""
    page, own_question = _page_of(trial), find_protocol(trial.protocol).player.page_sentence("")
    chosen: dict[str, Counter[str]] = defaultdict(Counter)
    for answer in answers:
        values = values_in(answer, page)
        if BREAK in values:
            values[SEEN] = BREAK if KIND in values else values[BREAK]
        for name, value in values.items():
            chosen[name][value] += 1
    return [_count(group, group.question or own_question, chosen[group.name]) for group in page.groups]


def _page_of(trial: Trial) -> FormPage:
    return cast(FormPage, find_protocol(trial.protocol).player.trial_type)


def _count(group: RadioGroup, question: Text, chosen: Counter[str]) -> GroupCount:
    is_scale = group.layout == "scale"
    words = {one.value: f"{one.value} {one.anchor}" if is_scale else str(one.anchor) for one in group.buttons}
    steps = tuple((words[value], chosen[value]) for value in words)
    return GroupCount(question, chosen.total(), chosen[CANT_TELL], steps)


def write_ratings(trial: Trial, out: Path, options: Facts) -> tuple[dict[str, Any], str]:
    """Write one row a value; generators are named once no study could still ask about their clips."""
    rows = list(rating_rows(trial))
    out.parent.mkdir(parents=True, exist_ok=True)
    write_csv(iter(rows), out)
    return {"trial": trial.slug, "values": len(rows) - 1, "file": str(out)}, f"{len(rows) - 1} values in {out}"


def rating_rows(trial: Trial) -> Iterator[tuple[Any, ...]]:
    """Yield the header, then a row for each value of each stored answer, counted or not."""
    yield COLUMNS
    page = _page_of(trial)
    clips = GeneratedClip.objects.filter(asked__item__pack=trial.pack_id)
    makers = _makers(trial) if are_named(clips) else {}
    rows = trial.judgments.select_related("participant", "item").prefetch_related("item__facets")
    for row in rows.order_by("participant__code", "slot__position").iterator(chunk_size=2000):
        prompt, cell = (row.item.facet_values(name)[0] for name in ("prompt", "cell"))
        where = prompt, cell_of(cell).take, cell_of(cell).page, row.item.public_id
        for name, value in values_in(row.answer, page).items():
            head = trial.slug, int(trial.is_simulated), row.participant.code
            dimension, is_of_three = dimension_in(name), "." in name
            places = (THREE.index(name[0]), -1) if is_of_three else (0, 1)  # -1: nobody's
            names = [word for place in places for word in makers.get((row.item_id, place), ("", ""))]
            yield (*head, *where, dimension, value, row.seconds, int(row.counts), *names)


def _makers(trial: Trial) -> dict[tuple[int, int], tuple[str, str]]:
    """(question, place) -> clip set and generator."""
    columns = ("item_id", "place", "clip__clip_set__slug", "clip__clip_set__generator__slug")
    rows = RatedClip.objects.filter(item__pack=trial.pack_id).values_list(*columns)
    return {(item, place): (clip_set, generator or "") for item, place, clip_set, generator in rows}
