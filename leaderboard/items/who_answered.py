"""Who said what about an item and its twin: people and models in one table, with ✓ and ✗."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from benchmarks.models import Item
from benchmarks.words import condition_words
from evaluation.inputs.frames import sampler_of
from evaluation.models import Run
from evaluation.runs.pages.rows import strategy_title
from humantrials.models import Trial
from leaderboard.items.cell_cards import RIGHT, WRONG, AnswerTick, results_of_runs
from leaderboard.items.item_detail import BY_SURPRISE, ItemVotes, listed_runs, votes_on

MOST = 12  # rows of models; every reply follows on the page


@dataclass(frozen=True)
class WhoRow:
    """One answerer on the items of the page, in their order."""

    name: str
    link: str
    setting: str
    verdicts: tuple[AnswerTick, ...]
    is_simulated: bool = False

    @property
    def pair(self) -> AnswerTick:
        """Whether both are right; nothing is known unless both were answered."""
        kinds = {one.kind for one in self.verdicts}
        return AnswerTick() if "" in kinds else AnswerTick(RIGHT if kinds == {RIGHT} else WRONG)


def people_on(
    items: Sequence[Item], expected: Mapping[int, str | None]
) -> tuple[list[WhoRow], list[ItemVotes], list[Trial]]:
    """Rows of the studies whose results are open, the first item's votes in full, and all trials that asked it."""
    (first, trials), *others = (votes_on(item) for item in items)
    by_item = [first, *(votes for votes, _ in others)]
    known = [{(one.trial.pk, one.condition): one for one in votes} for votes in by_item]
    rows = [
        WhoRow(
            name="People",
            link=vote.trial.get_absolute_url(),
            setting=", ".join(filter(None, (vote.trial.title, condition_words(vote.condition)))),
            verdicts=tuple(
                _of_votes(votes.get((vote.trial.pk, vote.condition)), expected[item.pk])
                for votes, item in zip(known, items, strict=True)
            ),
            is_simulated=vote.trial.is_simulated,
        )
        for vote in first
    ]
    return rows, first, trials


def _of_votes(vote: ItemVotes | None, expected: str | None) -> AnswerTick:
    if vote is None:
        return AnswerTick()
    counts = vote.result.counts
    if expected is None:
        return AnswerTick("share", ", ".join(f"{answer} {count}" for answer, count in counts.items()))
    text = f"{counts.get(expected, 0)} of {sum(counts.values())}"
    return AnswerTick("share" if vote.result.is_tie else RIGHT if vote.result.answer == expected else WRONG, text)


def models_on(items: Sequence[Item]) -> list[WhoRow]:
    """Rows of the first models of the board that were asked about the first item, by name."""
    runs = listed_runs(items[0]).filter(cells__item=items[0]).exclude(strategy__in=BY_SURPRISE).distinct()
    chosen = list(runs.select_related("model", "pack").order_by("model__name", "strategy", "pk")[:MOST])
    found = results_of_runs(chosen, [item.pk for item in items])
    nothing = AnswerTick()
    rows = (
        WhoRow(
            name=run.model.name,
            link=run.model.get_absolute_url(),
            setting=_setting(run),
            verdicts=tuple(found[run.pk].get(item.pk, nothing) for item in items),
        )
        for run in chosen
    )
    return [row for row in rows if row.verdicts[0].kind]


def _setting(run: Run) -> str:
    sampler = str(sampler_of(run.condition, run.sampler) or "")
    return ", ".join(filter(None, (strategy_title(run), condition_words(run.condition), sampler)))
