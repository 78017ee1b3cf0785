"""Work in progress for each benchmark: packs being generated, figures being computed, and extensions' work."""

from collections import defaultdict
from dataclasses import dataclass

from benchmarks.definitions.registry import BENCHMARKS
from benchmarks.models import Production
from evaluation.models import Run
from leaderboard.board.cache import has_rows, recent_version
from leaderboard.board.page_parts import REGISTERED
from leaderboard.models import Standing


@dataclass(frozen=True)
class WorkInProgress:
    """The open productions of one benchmark, extensions' notices, and whether its figures are being computed."""

    productions: tuple[Production, ...] = ()
    notices: tuple[str, ...] = ()  # HTML
    computes_figures: bool = False

    def __bool__(self) -> bool:
        return bool(self.productions or self.notices or self.computes_figures)


def work_in_progress(version: str = "") -> dict[str, WorkInProgress]:
    """Slug -> the benchmark's work in progress.

    Figures are looked for only where the version of the boards, of all or of the caller's, has no row.
    """
    productions = list(Production.objects.exclude(state__in=Production.ENDED).order_by("pk"))
    notices: dict[str, list[str]] = defaultdict(list)
    for parts in REGISTERED:
        for slug, found in parts.in_progress().items():
            notices[slug] += found
    computed = set() if has_rows(version or recent_version("")) else without_figures()
    return {
        slug: WorkInProgress(
            tuple(production for production in productions if production.benchmark == slug),
            tuple(notices[slug]),
            slug in computed,
        )
        for slug in BENCHMARKS
    }


def without_figures() -> set[str]:
    """The benchmarks that have finished runs and no row at all, as after an upgrade that computes every row anew."""
    computed = Standing.objects.order_by().values("pack__benchmark")
    waiting = Run.objects.on_the_board().exclude(pack__benchmark__in=computed).order_by()
    return set(waiting.values_list("pack__benchmark", flat=True).distinct())
