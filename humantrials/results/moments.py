"""The moments that people named: counted answers and first presses, and their figures in words and in exports."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from benchmarks.disclosure import PUBLIC, with_expected
from benchmarks.models import Item
from benchmarks.packs.truth.telling_frames import window_of
from humantrials.judging.exclusion_rules import PRIMARY
from humantrials.models import Judgment, Trial
from humantrials.protocols import find_protocol
from humantrials.results.evidence_columns import Column
from humantrials.results.judgments import counted_of
from humantrials.results.release import may_show_people
from measures.estimate import MomentFigures, figures_of_moments
from measures.figures import Interval
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
    return figures_of_moments([moment.answer for moment in answered_moments(trial, exclusion)])


def presses_at(item: Item, trials: Iterable[Trial], *, is_simulated: bool = False) -> list[float]:
    """The seconds of first presses on this item in studies whose results are shown, of people or of simulated ones."""
    alike = (trial for trial in trials if trial.is_simulated is is_simulated and asks_for_moments(trial))
    moments = (one for trial in alike if may_show_people(trial) for one in answered_moments(trial, items=[item.pk]))
    return [max(0.0, moment.answer.press) for moment in moments if moment.answer.press is not None]


@dataclass(frozen=True)
class FigureLine:
    """One figure in words: its value, its interval, and the answers that it is made from."""

    name: str
    value: str
    interval: str
    n: int


def lines_of(found: MomentFigures) -> list[FigureLine]:
    possible = found.n - found.violations
    return [
        FigureLine("Hits", _share(found.hits), _ends(found.hits_interval, _share), found.violations),
        FigureLine("False alarms", _share(found.alarms), _ends(found.alarms_interval, _share), possible),
        FigureLine("d′", _number(found.d_prime), "", found.n),
        FigureLine("Criterion", _number(found.criterion), "", found.n),
        FigureLine("Median error", _seconds(found.error), "", found.reports),
        FigureLine("Mean lag", _seconds(found.lead), _ends(found.lead_interval, _seconds), found.reports),
        FigureLine(
            "Mean lag of the first press", _seconds(found.press), _ends(found.press_interval, _seconds), found.presses
        ),
    ]


def sentences_of(found: MomentFigures) -> list[str]:
    """The results for a methods section, in English."""
    sentences = [
        f"Of {found.violations} answers about impossible clips, {_share(found.hits)} were hits: a second within 0.5 s"
        f" of the stretch from the violation to the moment at which a viewer can know"
        f" (95 % interval {_ends(found.hits_interval, _share)}).",
        f"Of {found.n - found.violations} answers about possible clips, {_share(found.alarms)} were false alarms"
        f" ({_ends(found.alarms_interval, _share)}).",
    ]
    if found.d_prime is not None:
        sentences.append(f"d′ was {_number(found.d_prime)}, the criterion {_number(found.criterion)}.")
    if found.lead is not None:
        sentences.append(
            f"Reports came {_seconds(found.lead)} after that moment on average"
            f" ({_ends(found.lead_interval, _seconds)}), {_seconds(found.error)} from it in the median."
        )
    if found.press is not None:
        sentences.append(
            f"First presses came {_seconds(found.press)} after it on average"
            f" ({_ends(found.press_interval, _seconds)}; {found.presses} presses)."
        )
    return [*sentences, "People and clips are both taken as samples."]


def moment_columns() -> dict[str, Column]:
    """Further columns of each answer in an export of a study of moments."""

    def of(read: Callable[[MomentAnswer], object]) -> Callable[[Judgment], object]:
        return lambda judgment: read(_answer(judgment))

    return {
        "violation_seconds": ("first second that violates physics", of(lambda one: _ends_of(one)[0])),
        "knowable_seconds": ("first second at which a viewer can know", of(lambda one: _ends_of(one)[1])),
        "hit": ("1 = a hit (docs/moments.md), empty = no violation", of(lambda one: one.window and one.is_hit)),
        "first_press": ("second of the first press", lambda judgment: (presses_in(judgment.playback) or (None,))[0]),
    }


def _answer(judgment: Judgment) -> MomentAnswer:
    clip, answer = judgment.item.clip, judgment.answer
    expected: str | None = judgment.expected  # type: ignore[attr-defined]  # annotated by judgment_rows
    window = window_of(clip.facts) if clip and expected == "no" else None
    return MomentAnswer(float(answer) if answer[:1].isdigit() else None, window, judgment.item_id)


def _ends_of(one: MomentAnswer) -> tuple[float | None, float | None]:
    return (one.window.violating, one.window.knowable) if one.window else (None, None)


def _share(value: float | None) -> str:
    return "–" if value is None else f"{100 * value:.1f} %"


def _seconds(value: float | None) -> str:
    return "–" if value is None else f"{value:.2f} s"


def _number(value: float | None) -> str:
    return "–" if value is None else f"{value:.2f}"


def _ends(interval: Interval | None, written: Callable[[float | None], str]) -> str:
    return f"{written(interval.low)} to {written(interval.high)}" if interval else ""
