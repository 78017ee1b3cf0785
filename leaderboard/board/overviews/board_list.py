"""The list of leaderboards: one line for each level of a benchmark, with its best model and its people."""

from dataclasses import dataclass

from leaderboard.board.cell_display import points, spread
from leaderboard.board.overviews.level_results import LevelResults, Result, all_levels


@dataclass(frozen=True)
class BoardSummary:
    """One level's leaderboard in one line."""

    results: LevelResults

    @property
    def title(self) -> str:
        return " · ".join(filter(None, (self.results.view.title, self.results.split_title)))

    @property
    def query(self) -> str:
        """The address of its board."""
        split = f"&split={self.results.view.split}" if self.results.split_title else ""
        return f"level={self.results.view.level.number}{split}"

    @property
    def question(self) -> str:
        """What the level asks: the first sentence about it."""
        about = str(self.results.view.level.about)
        return about[: about.index("?") + 1] if "?" in about else about.partition(". ")[0].rstrip(".")

    @property
    def best(self) -> Result | None:
        """The leading model measured or uploaded here, else reported; else a referee's best figure, or a baseline."""
        found = self.results
        leading = found.leaders.here or found.leaders.reported
        if leading:
            return found.result_of(leading)
        if found.by_test:
            return found.by_test[0] if self.is_scaled else None
        ours = [one for one in found.baselines if one.row.kind.is_ours]
        return next(iter((*ours, *found.baselines)), None)

    @property
    def is_scaled(self) -> bool:
        """Whether its figures are per cent of the most that a referee gives."""
        return bool(self.results.view.level.dimensions)

    @property
    def about_best(self) -> str:
        """Where the best figure comes from: its interval, whether it is a baseline, reported, or of one test."""
        best = self.best
        if best is None:
            return "no overall score reported" if self.results.by_test else "no model tested yet"
        words = [
            spread(best.cell.low, best.cell.high),
            "baseline" if best.row.is_baseline else "",
            f"best test: {best.test_title}" if best.test else "",
            "" if best.row.kind.is_evaluated else best.row.kind.words,
        ]
        return ", ".join(filter(None, words))

    @property
    def people(self) -> Result | None:
        return self.results.people or self.results.people_reported

    @property
    def gap(self) -> str:
        """People's lead in points, if the same questions or one paper's figures are compared and it stands."""
        gap = self.results.gap
        if gap and gap.lead.stands:
            return points(gap.lead.value)
        if gap:
            return "no difference shown"
        return "not comparable" if self.people and self.best else "–"

    @property
    def counts(self) -> str:
        """How many models it has, by where their figures come from."""
        found = self.results
        rows = {one.row.key: one.row for one in (*found.models, *found.reported, *found.each_test, *found.baselines)}
        rows |= {row.key: row for row in found.unprinted}
        kinds = [row.kind for row in rows.values() if not row.is_people]
        counted = {
            "measured": sum(kind.is_evaluated for kind in kinds),
            "uploaded": sum(kind.is_uploaded for kind in kinds),
            "reported": sum(not kind.is_ours for kind in kinds),
        }
        return " · ".join(f"{n} {words}" for words, n in counted.items() if n)


def board_lines() -> list[BoardSummary]:
    """A line for each level with a figure or with clips to answer."""
    return [BoardSummary(one) for one in all_levels() if not one.is_empty or one.view.pack]
