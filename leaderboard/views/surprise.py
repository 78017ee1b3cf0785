"""Page of surprise: prediction models, which give a number a window in place of words."""

from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.translation import gettext as _

from leaderboard.board.query import BadAddress, view_of
from leaderboard.comparison.surprise import surprise_section, surprise_view
from leaderboard.views.boards import benchmark_or_404, not_there
from leaderboard.views.likelihood import report_page


def surprise(request: HttpRequest, slug: str) -> HttpResponse:
    benchmark = benchmark_or_404(slug)
    try:
        level = next((one.level for one in benchmark.strategies if one.by_surprise), "")
        view = surprise_view(view_of(benchmark, {"level": level} | request.GET.dict()))
        return report_page(
            request,
            view,
            title=_("What surprises a model?"),
            lede=_(
                "Models that predict what comes next and answer no question: are they more surprised by what cannot be?"
            ),
            section=surprise_section(view),
            chart=None,
        )
    except BadAddress as mistake:
        return not_there(request, str(mistake), reverse("board", args=[slug]))
