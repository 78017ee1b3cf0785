"""Sentences about judges and boards, composed from the figures that their pages print."""

import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path

from extensions.generated.judging.audit import Check, CheckVerdict, JudgeAudit
from extensions.generated.pairs.board import PairsBoard
from extensions.generated.scores.answers import REPORTED, Wait
from extensions.generated.scores.board import BoardLine, RoundBoard
from measures.estimate import VoteFinding

CHOSEN = (
    "The votes of {earlier} chose these pairs, those nearest to even: win rates are drawn towards 50 %, so compare"
    " strengths."
)
TEXTS = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))
CHECKS: dict[str, dict[str, str]] = TEXTS["checks"]
MARKS = {
    CheckVerdict.HOLDS: ("✓", "ok"),
    CheckVerdict.FAILS: ("✗", "no"),
    CheckVerdict.UNTESTED: ("–", "na"),
    CheckVerdict.UNRELATED: ("–", "na"),
}


def counts_of(audit: JudgeAudit) -> str:
    """How many checks have each verdict."""
    counts = ((audit.count(verdict), verdict) for verdict in CheckVerdict)
    return ", ".join(f"{count} {verdict}" for count, verdict in counts if count)


def signed(value: float) -> str:
    """-0.36 as −0.36, 0.22 as +0.22."""
    return f"{value:+.2f}".replace("-", "−")


def coefficient(value: float) -> str:
    """0.62 as .62."""
    return f"{value:.2f}".replace("0.", ".", 1).replace("-", "−")


def check_lines(audit: JudgeAudit) -> list[dict[str, str]]:
    """Each check as a line of the table."""
    return [
        {**CHECKS[check.name], "result": _result(check), "limit": _limit(check), "verdict": check.verdict}
        | dict(zip(("mark", "look"), MARKS[check.verdict], strict=True))
        for check in audit.checks
    ]


def _result(check: Check) -> str:
    if check.verdict == CheckVerdict.UNRELATED:
        return "rates one clip at a time"
    if check.verdict == CheckVerdict.UNTESTED:
        return "not known"
    first, second = check.values[0], check.values[-1]
    known = [coefficient(end) for end in (check.interval.low, check.interval.high)] if check.interval else []
    return CHECKS[check.name]["result"].format(
        n=f"{check.n:,}",
        first=first,
        second=second,
        percent=100 * first,
        low=coefficient(first),
        high=coefficient(second),
        signed_low=signed(first),
        signed_high=signed(second),
        ends=" to ".join(known) or "interval not known",
    )


def _limit(check: Check) -> str:
    limit = check.limit or 0
    return CHECKS[check.name]["limit"].format(percent=100 * limit, coefficient=coefficient(limit), limit=limit)


def verdict_of(audit: JudgeAudit) -> tuple[str, str]:
    """The verdict, and the sentence that says why."""
    failed = [CHECKS[check.name]["title"] for check in audit.checks if check.verdict == CheckVerdict.FAILS]
    untested = [CHECKS[check.name]["title"] for check in audit.checks if check.verdict == CheckVerdict.UNTESTED]
    if audit.may_rank:
        return "May rank generators", "Every check that applies was made, and all hold."
    reasons = [f"it fails: {_listed(failed)}"] if failed else []
    reasons += [f"not known: {_listed(untested)}"] if untested else []
    return "May not rank generators", f"{'; '.join(reasons)}.".capitalize()


def _listed(titles: Sequence[str]) -> str:
    """Titles of checks within a sentence."""
    return ", ".join(title[0].lower() + title[1:] for title in titles)


def headline(board: RoundBoard, audits: Mapping[str, JudgeAudit]) -> str:
    """The board's answer: who is rated highest by people, and which judges may rank."""
    people = board.answers.people
    rated = [line for line in board.ranked if people and line.figures[0]]
    lead = _lead(board, rated) if people and rated else _pending(board.answers.waits)
    barred = [judge.title for judge in board.answers.judges if not audits[judge.slug].may_rank]
    if len(barred) == len(board.answers.judges):
        return f"{lead}; no judge may rank." if barred else f"{lead}."
    return f"{lead}; {_and(barred)} may not rank." if barred else f"{lead}; every judge may rank."


def _pending(waits: Sequence[Wait]) -> str:
    if Wait.CLOSE in waits or Wait.ANSWERS in waits:
        return "People’s column comes with the close of their study"
    return "People’s column comes with more people" if waits else "No people rated these clips yet"


def _lead(board: RoundBoard, rated: Sequence[BoardLine]) -> str:
    """The highest printed mean, or those who can be first once all pairs are tested together."""
    figures = {line.row.title: figure for line in rated if (figure := line.figures[0])}
    highest = max(figure.value for figure in figures.values())
    value = f"{100 * highest:.0f} %" if board.column.is_share else f"{highest:.2f}"
    who = "simulated people" if board.answers.answerers[0].is_simulated else "people"
    if board.answers.answerers[0].kind == REPORTED:
        first = [title for title, figure in figures.items() if figure.value == highest]
        return f"{_and(first)} {'has' if len(first) == 1 else 'have'} the highest mean by {who}, {value}"
    first = [title for title, figure in figures.items() if figure.rank and figure.rank.best == 1]
    if len(first) == 1:
        return f"{first[0]} is first by {who}, {value}"
    if len(first) == len(figures):
        return f"{who.capitalize()} tell none of these {len(first)} generators from the first, {value} at most"
    return f"{_and(first)} may each be first by {who}, {value} at most"


def _and(names: Sequence[str]) -> str:
    return " and ".join(filter(None, (", ".join(names[:-1]), names[-1])))


def defect(finding: VoteFinding) -> str:
    """What a finding means for the board, with its limit."""
    value, limit = finding.value, finding.limit
    return TEXTS["defects"][finding.name].format(value, 100 * value, 100 * limit, limit)


def headline_of_pairs(board: PairsBoard) -> str:
    """How many pairs the votes tell apart, or why there is no order."""
    if board.fit is None:
        groups = "; ".join(_and(group) for group in board.apart)
        return f"These rows were never compared with each other, so there is no common order: {groups}."
    pairs, apart = len(board.rows) * (len(board.rows) - 1) // 2, int(board.fit.ratings.below.sum())
    lead = f"The votes tell {apart} of {pairs} pairs of generators apart"
    first = [row.name for row in board.rows if row.rank.best == 1]
    if len(first) == 1:
        return f"{lead}; {first[0]} is first."
    return f"{lead}; {_and(first)} may each be first." if apart else f"{lead}: nobody is known to be first."


def first_place(board: PairsBoard) -> str:
    """What being shown first is worth, in points of strength; "" without strengths."""
    if board.fit is None:
        return ""
    points, interval = board.fit.first_place
    ends = f" ({interval.low:.0f} to {interval.high:.0f})" if interval else ""
    return f"{points:.0f} points{ends}".replace("-", "−")
