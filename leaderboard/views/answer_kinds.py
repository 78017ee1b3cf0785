"""Pages of answers that are neither right nor wrong by themselves: surprise, and the moment at which physics broke."""

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.translation import gettext as _

from benchmarks.definitions.definition import StrategyName
from leaderboard.board.query import BadAddress, View, view_of
from leaderboard.charts.frames_chart import frames_chart
from leaderboard.comparison.moments import moment_section, moment_view
from leaderboard.comparison.same_eyes import ceilings, decidable_rows, same_eyes_section
from leaderboard.comparison.surprise import surprise_section, surprise_view
from leaderboard.views.boards import benchmark_or_404, not_there
from leaderboard.views.likelihood import report_page


def surprise(request: HttpRequest, slug: str) -> HttpResponse:
    try:
        view = surprise_view(_view(request, slug, lambda one: one.by_surprise))
        return report_page(
            request,
            view,
            title=_("What surprises a model?"),
            lede=_(
                "Models that predict what comes next and answer no question: are they more surprised by what cannot be?"
            ),
            section=surprise_section(view),
        )
    except BadAddress as mistake:
        return not_there(request, str(mistake), reverse("board", args=[slug]))


def moments(request: HttpRequest, slug: str) -> HttpResponse:
    try:
        view = moment_view(_view(request, slug, lambda one: one.by_moment))
        return report_page(
            request,
            view,
            title=_("When did it break?"),
            lede=_("The second at which one can first know that something impossible happened, or nothing."),
            section=moment_section(view),
        )
    except BadAddress as mistake:
        return not_there(request, str(mistake), reverse("board", args=[slug]))


def _view(request: HttpRequest, slug: str, wanted: Callable[[StrategyName], bool]) -> View:
    """The view of the address, by default on the level of the strategy wanted."""
    benchmark = benchmark_or_404(slug)
    level = next((one.level for one in benchmark.strategies if wanted(one)), "")
    return view_of(benchmark, {"level": level} | request.GET.dict())


def same_eyes(request: HttpRequest, slug: str) -> HttpResponse:
    """What models get right among what the frames that they were sent can tell."""
    try:
        view = _view(request, slug, lambda one: one.by_moment)
        found = decidable_rows(view)
        models: dict[str, list[tuple[int, float]]] = {}
        for row, _sampler, frames, figures in found:
            models.setdefault(row.name, []).append((frames, figures["all"]["score"]))
        ceiling = ceilings(view)
        return report_page(
            request,
            view,
            title=_("Same eyes"),
            lede=_(
                "Could the answer be seen in the frames that were sent? Nobody can be right about what was not shown."
            ),
            section=same_eyes_section(found),
            charts=[frames_chart(models, ceiling)] if ceiling else [],
        )
    except BadAddress as mistake:
        return not_there(request, str(mistake), reverse("board", args=[slug]))
