"""The moments that people named: counted answers and their first presses."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from benchmarks.disclosure import PUBLIC, with_expected
from benchmarks.models import Item
from benchmarks.packs.truth.telling_frames import window_of
from humantrials.judging.exclusion_rules import PRIMARY
from humantrials.models import Trial
from humantrials.protocols import find_protocol
from humantrials.results.judgments import counted_of
from humantrials.results.release import may_show_people
from measures.estimate import MomentFigures, figures_of_moments
from measures.scores.moment_answers import MomentAnswer

COLUMNS = (
    *("item_id", "answer", "playback", "participant__code"),
    *("expected", "item__media__clip_id", "item__media__clip__facts"),
)


@dataclass(frozen=True)
class PersonMoment:
    """One counted answer: the item and the moment."""

    item_id: int
    answer: MomentAnswer


def asks_for_moments(trial: Trial) -> bool:
    return find_protocol(trial.protocol).analysis.by_moment


def answered_moments(trial: Trial, exclusion: str = PRIMARY, items: Iterable[int] | None = None) -> list[PersonMoment]:
    """The counted answers about clips with a public moment or without a violation, by item and person."""
    counted = with_expected(counted_of(trial, exclusion), to=PUBLIC, item="item").filter(expected__isnull=False)
    if items is not None:
        counted = counted.filter(item__in=list(items))
    rows = counted.order_by("item_id", "participant__code").values_list(*COLUMNS)
    return list(_person_moments(rows.iterator(chunk_size=2000)))


def _person_moments(rows: Iterable[tuple]) -> Iterator[PersonMoment]:
    for item, answer, playback, code, expected, clip, facts in rows:
        window = window_of(facts or {}) if expected == "no" else None
        if expected != "yes" and window is None:
            continue
        press = next(iter(presses_in(playback)), None)
        seconds = float(answer) if answer[:1].isdigit() else None
        yield PersonMoment(item, MomentAnswer(seconds, window, clip, person=code, press=press))


def presses_in(playback: dict) -> tuple[float, ...]:
    """The seconds of the presses that a page sent; anything that is no number is ignored."""
    found = []
    for text in str(playback.get("presses") or "").split():
        try:
            found.append(float(text))
        except ValueError:
            continue
    return tuple(found)


def figures_of_trial(trial: Trial, exclusion: str = PRIMARY) -> MomentFigures | None:
    """The figures over all counted answers; None without any."""
    return figures_of_moments([one.answer for one in answered_moments(trial, exclusion)])


def presses_at(item: Item, trials: Iterable[Trial], *, is_simulated: bool = False) -> list[float]:
    """The seconds of first presses on this item in studies whose results are shown."""
    return [press for trial in _readable(trials, is_simulated) for press in _first_presses(trial, item)]


def _first_presses(trial: Trial, item: Item) -> list[float]:
    return [
        max(0.0, one.answer.press) for one in answered_moments(trial, items=[item.pk]) if one.answer.press is not None
    ]


def _readable(trials: Iterable[Trial], is_simulated: bool) -> list[Trial]:
    """The studies of moments among these, of people or of simulated people."""
    alike = (trial for trial in trials if trial.is_simulated is is_simulated)
    return [trial for trial in alike if asks_for_moments(trial) and may_show_people(trial)]
