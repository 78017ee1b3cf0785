"""Sentences about judges and boards, composed from the figures that their pages print."""

from collections.abc import Sequence
from dataclasses import dataclass

from extensions.generated.board import GeneratedBoard
from extensions.generated.judging.audit import Audit, Check, CheckVerdict
from extensions.generated.pairs.board import PairsBoard
from measures.estimate import VoteFinding

TITLES = {
    "readable": ("Readable answers", "an empty or odd reply is counted, never scored"),
    "commonest": ("Most common answer", "a judge that always says the same"),
    "retest": ("Asked twice", "quadratic κ of two readings of the same clips"),
    "bias": ("Bias per generator", "judge minus people, the lowest and the highest"),
    "order": ("Order of generators", "Kendall’s τ with people, rows drawn anew"),
    "people": ("People, clip by clip", "quadratic κ, one person against the rest as the ceiling"),
    "flips": ("Left and right swapped", "share of pairs where the answer flips"),
    "probes": ("Still, reversed, shuffled", "must be rated lower than the clip itself"),
    "truth": ("Truth", "hits minus false alarms on simulated clips"),
}
MARKS = {
    CheckVerdict.HOLDS: ("✓", "ok"),
    CheckVerdict.FAILS: ("✗", "no"),
    CheckVerdict.UNTESTED: ("–", "na"),
    CheckVerdict.UNRELATED: ("–", "na"),
}


@dataclass(frozen=True)
class CheckLine:
    """One check as a line of the table."""

    title: str
    about: str
    result: str
    limit: str
    verdict: str
    mark: str
    look: str


def counts_of(audit: Audit) -> str:
    """How many checks have each verdict."""
    counts = ((audit.count(verdict), verdict) for verdict in CheckVerdict)
    return ", ".join(f"{count} {verdict}" for count, verdict in counts if count)


def signed(value: float) -> str:
    """-0.36 as −0.36, 0.22 as +0.22."""
    return f"{value:+.2f}".replace("-", "−")


def coefficient(value: float) -> str:
    """0.62 as .62."""
    return f"{value:.2f}".replace("0.", ".", 1).replace("-", "−")


def check_lines(audit: Audit) -> list[CheckLine]:
    return [
        CheckLine(*TITLES[check.name], _result(check), _limit(check), check.verdict, *MARKS[check.verdict])
        for check in audit.checks
    ]


def _result(check: Check) -> str:
    if check.verdict == CheckVerdict.UNRELATED:
        return "rates one clip at a time"
    if check.verdict == CheckVerdict.UNTESTED:
        return "not known"
    values, n = check.values, f"{check.n:,}"
    match check.name:
        case "readable":
            return f"{100 * values[0]:.1f} %, of {n}"
        case "commonest":
            return f"“{values[1]:.0f}”, {100 * values[0]:.0f} %"
        case "retest" if values[0] != values[1]:
            return f"{coefficient(values[0])} to {coefficient(values[1])}, {n} scores or more"
        case "bias":
            return f"{signed(values[0])} and {signed(values[1])}"
        case "order" if check.interval:
            low, high = (coefficient(end) for end in (check.interval.low, check.interval.high))
            return f"{coefficient(values[0])} ({low} to {high}), {n} rows"
    return ", ".join(coefficient(value) for value in values)


def _limit(check: Check) -> str:
    limit = check.limit or 0
    return {
        "readable": f"≥ {100 * limit:.0f} %",
        "commonest": f"< {100 * limit:.0f} %",
        "retest": f"≥ {coefficient(limit)}",
        "bias": f"within ±{limit:.2f}",
        "order": f"lower end ≥ {coefficient(limit)}",
        "people": "≥ half of the ceiling",
        "flips": "≤ 10 % of pairs",
        "probes": "all lower",
        "truth": "above 0",
    }[check.name]


def verdict_of(audit: Audit) -> tuple[str, str]:
    """The verdict, and the sentence that says why."""
    failed = [TITLES[check.name][0] for check in audit.checks if check.verdict == CheckVerdict.FAILS]
    untested = [TITLES[check.name][0] for check in audit.checks if check.verdict == CheckVerdict.UNTESTED]
    if audit.may_rank:
        return "May rank generators", "Every check that applies was made, and all hold."
    reasons = [f"it fails: {_listed(failed)}"] if failed else []
    reasons += [f"not known: {_listed(untested)}"] if untested else []
    return "May not rank generators", f"{'; '.join(reasons)}.".capitalize()


def _listed(titles: Sequence[str]) -> str:
    """Titles of checks within a sentence."""
    return ", ".join(title[0].lower() + title[1:] for title in titles)


def headline(board: GeneratedBoard) -> str:
    """The board's answer: who has the highest mean by people as printed, and which judges may rank."""
    rated = [row for row in board.rows if row.people is not None]
    if not rated:
        return "No people rated these clips yet."
    highest = max(row.people or 0 for row in rated)
    first = [row.generator.title for row in rated if row.people == highest]
    lead = f"{_and(first)} {'has' if len(first) == 1 else 'have'} the highest mean by people, {highest:.2f}"
    barred = [judge.title for judge in board.judges if not board.audits[judge.pk].may_rank]
    if len(barred) == len(board.judges):
        return f"{lead}; no judge may rank." if barred else f"{lead}."
    return f"{lead}; {_and(barred)} may not rank." if barred else f"{lead}; every judge may rank."


def _and(names: Sequence[str]) -> str:
    return " and ".join(filter(None, (", ".join(names[:-1]), names[-1])))


DEFECTS = {
    "unconnected": "{0:.0f} groups of rows were never compared with each other, so they have no common order",
    "unseparated": "{1:.0f} % of neighbours can’t be told apart (limit {2:.0f} %)",
    "wide-ranks": "the median row can have {0:.1f} ranks (limit {3:.0f}): too few votes for an order",
    "uneven": "votes lie unevenly on rows: Gini {0:.2f} (limit {3:.2f})",
    "first-place": "being shown first is worth at least {0:.2f} log-odds (limit {3:.2f})",
    "first-place-decides": "{0:.0f} separated neighbours change places once the first place’s advantage is taken off",
    "ties-decide": "{0:.0f} separated neighbours change places if ties are left out",
    "cycles": "majorities go round in {1:.0f} % more triples than one strength a row explains (limit {2:.0f} %)",
    "clustered": "intervals are {0:.2f} times as wide as if each vote stood alone (limit {3:.2f})",
    "one-person": "without one person a row moves by {0:.1f} gaps between neighbours (limit {3:.0f})",
}


def defect(finding: VoteFinding) -> str:
    """What a finding means for the board, with its limit."""
    value, limit = finding.value, finding.limit
    return DEFECTS[finding.name].format(value, 100 * value, 100 * limit, limit)


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
