"""The sentence under a board's title: who leads, and what stands against chance, from the cells of its table; and how
many models of papers the table lacks."""

from dataclasses import dataclass

from django.contrib.humanize.templatetags.humanize import apnumber

from leaderboard.board import claims
from leaderboard.board.assemble import Board
from leaderboard.board.board_row import Leader, leaders, order_of, people_of, share_of
from leaderboard.board.cell_display import figure, points

NAMED = 2  # columns named in the sentence


@dataclass(frozen=True)
class Claim:
    """The answer, and what else is to say; either may be empty."""

    answer: str
    more: str = ""


def answer_of(board: Board) -> Claim:
    """The sentence of a board; one that shows something else than scores, or can't rank, has none of these claims."""
    view = board.view
    if view.columns != "accuracy" or board.doubt or view.level.dimensions:
        return Claim("", str(view.level.about))
    found = leaders(board.rows)
    answer = next(filter(None, (_beside_people(board), _in_papers(board), _known(board, found.here))), "")
    return Claim(answer, _against_chance(board, found.here))


def _beside_people(board: Board) -> str:
    """People and the best model here, if both answered the same questions."""
    shared = leaders(row for row in board.ranked if row.distance).here
    if shared is None or shared.row.distance is None:
        return ""
    lead, name = claims.tested_lead(shared.row.distance), f"the {shared.words}, {shared.row.title}"
    if not lead.stands:
        return f"People are no different from {name}, on {lead.n} shared questions."
    ahead, behind = ("People lead", "") if lead.value > 0 else (f"{name[:1].upper()}{name[1:]}, leads people", name)
    by = f"by {points(abs(lead.value)).lstrip('+')} points on {lead.n} shared questions."
    return f"{ahead} {by}" if behind else f"{ahead} {name}, {by}"


def _in_papers(board: Board) -> str:
    """People and the best model of the benchmark's own paper."""
    people = people_of(board.published).reported
    leader = leaders(row for row in board.published if people and row.citation == people.citation).reported
    if people is None or leader is None or people.overall is None or leader.row.overall is None:
        return ""
    if people.overall.score is None:
        return ""
    lead, name = claims.printed_lead(people.overall, leader.row.overall), f"the {leader.words}, {leader.row.title}"
    if not lead.stands:
        return f"In the paper, people are no different from {name}."
    first, second = ("people lead", f"{name},") if lead.value > 0 else (f"{name}, leads", "people")
    return f"In the paper, {first} {second} by {points(abs(lead.value)).lstrip('+')} points."


def _known(board: Board, here: Leader | None) -> str:
    """The figures of people and of the best model that can't be compared; chance beside them."""
    people = people_of(board.rows)
    row = people.row
    parts = []
    if row and row.overall and share_of(row.overall) is not None:
        parts.append(f"people{'' if row.kind.is_ours else ' (reported)'}: {figure(row.overall)}")
    leading = leaders(board.rows)
    for leader in filter(None, (here, leading.reported)):
        if leader.row.overall:
            tied = f" and {len(leader.tied_with)} more" if leader.tied_with else ""
            parts.append(f"{leader.words}: {leader.row.title}{tied}, {figure(leader.row.overall)}")
    if board.chance is not None:
        parts.append(f"chance {100 * board.chance:.3g} %")
    if not (here or leading.reported):
        parts.append("no model tested yet")
    text = "; ".join(parts)
    return f"{text[:1].upper()}{text[1:]}."


def _against_chance(board: Board, here: Leader | None) -> str:
    """On how many columns the best row here beats chance by the test that tints its cells."""
    able = [row for row in board.ranked if row.is_baseline and share_of(row.overall) is not None]
    row = here.row if here else min(able, key=order_of, default=None)
    columns = [one for one in board.columns if row and (cell := row.cells.get(one.key)) and cell.p is not None]
    if row is None or not columns:
        return ""
    name = row.title if here else f"The best baseline, {row.short_name},"
    above = [
        one.title
        for one in columns
        if claims.claim_of(row.cells[one.key], one.chance, board.adjusted.get((row.key, one.key))) == claims.ABOVE
    ]
    facet = board.view.benchmark.facet(board.view.group).plural.lower()
    if not above:
        return f"{name} is no different from chance on any of {apnumber(len(columns))} {facet}."
    named = f": {' and '.join(above)}" if len(above) <= NAMED else ""
    return f"{name} beats chance on {apnumber(len(above))} of {apnumber(len(columns))} {facet}{named}."


def unprinted_line(count: int, *, of_level: bool = True) -> str:
    """The number of reported models without a figure on a level, or in a view of it, as a sentence; "" for none."""
    if not count:
        return ""
    models = f"{count} model{'' if count == 1 else 's'}"
    what = "the paper reports no numbers for this level." if of_level else "no numbers reported in this grouping."
    return f"{models}: {what}"
