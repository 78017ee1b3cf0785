"""A level's results in words: one sentence with the figures, and short notes on sources and gaps."""

from collections.abc import Iterator

from leaderboard.board.cell_display import between, points
from leaderboard.board.overviews.level_results import LevelResults, Result

NARROW = "\u00a0%"  # no line break between sign and number


def of_people(results: LevelResults) -> str:
    """People's figure, measured or reported, or a note that a running study hides it; "" if there is none."""
    return _people(results).replace(" %", NARROW)


def _people(results: LevelResults) -> str:
    measured, reported = results.people, results.people_reported
    if results.hidden and not measured:
        hidden = f"People: {results.hidden}"
        return f"{hidden} ({_reported(reported)})" if reported else hidden
    if measured and reported:
        return f"People {measured.figure} % ({_reported(reported)})"
    figures = measured or reported
    return f"People {figures.figure} %" if figures else ""


def _reported(one: Result) -> str:
    return f"reported: {one.figure} %"


def of_models(results: LevelResults) -> str:
    """The leaders here and in papers, and chance."""
    return (", ".join(_models(results)) + ".").replace(" %", NARROW)


def _models(results: LevelResults) -> Iterator[str]:
    unit = "% of maximum" if results.view.level.dimensions else "%"
    for leader in filter(None, (results.leaders.here, results.leaders.reported)):
        tied = f" and {len(leader.tied_with)} more" if leader.tied_with else ""
        yield f"{leader.words} {_figure(results.result_of(leader), unit, tied)}"
    if results.by_test:
        yield f"best single-test score in the papers {_figure(results.by_test[0], unit)}"
    if not (results.models or results.reported or results.by_test):
        yield "no model tested yet"
    yield from _chance(results)


def _chance(results: LevelResults) -> Iterator[str]:
    if results.chance is not None:
        yield f"chance {100 * results.chance:.3g} %"
    elif not results.view.level.dimensions:
        yield "no single chance level"


def _figure(one: Result, unit: str, tied: str = "") -> str:
    named = ", ".join(filter(None, (one.test_title, one.name, one.strategy)))
    return f"{one.figure} {unit}{'*' if one.caveat else ''} ({named}{tied})"


def notes_of(results: LevelResults) -> list[str]:
    """One sentence each on gap, clips, sources, figures missing in papers, and caveats."""
    return [*_gap(results), *_measured(results), *_sources(results), *_left_out(results), *_caveats(results)]


def _gap(results: LevelResults) -> Iterator[str]:
    gap = results.gap
    if gap and gap.lead.n:
        low, high = gap.lead.low, gap.lead.high
        ends = f" ({between(points(low), points(high))})" if low is not None and high is not None else ""
        yield f"People minus {gap.model.name}: {points(gap.lead.value)} points{ends} on {gap.lead.n} shared questions."
    elif results.people and results.models:
        yield "No shared clips yet."


def _measured(results: LevelResults) -> Iterator[str]:
    pack = results.view.pack
    if pack and (results.people or results.models):
        yield f"Clips: {pack.title}."


def _sources(results: LevelResults) -> Iterator[str]:
    reported = [one for one in (results.people_reported, *results.reported, *results.by_test) if one]
    if sources := list(dict.fromkeys(one.source for one in reported)):
        yield f"Reported: {'; '.join(sources)}."
    if results.by_test:
        yield "Papers report no overall figure: each ring is the highest score of one test."
    if reported and (printed := results.view.level.printed):
        yield f"{printed[:1].upper()}{printed[1:]}."
    if results.baselines:
        yield f"Baselines: {', '.join(dict.fromkeys(baseline.name for baseline in results.baselines))}."


def _left_out(results: LevelResults) -> Iterator[str]:
    if line := unprinted_line(len(results.unprinted)):
        yield line


def unprinted_line(count: int, *, of_level: bool = True) -> str:
    """The number of reported models without a figure on a level, or in a view of it, as a sentence; "" for none."""
    if not count:
        return ""
    models = f"{count} model{'' if count == 1 else 's'}"
    what = "the paper reports no numbers for this level." if of_level else "no numbers reported in this grouping."
    return f"{models}: {what}"


def _caveats(results: LevelResults) -> Iterator[str]:
    best = [group[0] for group in (results.models, results.reported, results.by_test) if group]
    yield from dict.fromkeys(f"* {one.caveat}." for one in best if one.caveat)
