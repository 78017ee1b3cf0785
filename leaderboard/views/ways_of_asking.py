"""Pages of how a model is asked: its effort, replies held to the options, and the spread over wordings."""

from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.translation import gettext as _

from leaderboard.board.query import BadAddress, view_of
from leaderboard.charts.effort_charts import cost_chart, people_chart, tokens_chart
from leaderboard.charts.wordings_chart import wordings_chart
from leaderboard.comparison.constrained import constrained_section, free_and_held
from leaderboard.comparison.efforts import effort_section, efforts, people_by_time
from leaderboard.comparison.wordings import rows_by_wording, wording_section
from leaderboard.views.boards import benchmark_or_404, not_there
from leaderboard.views.report_page import report_page


def effort(request: HttpRequest, slug: str) -> HttpResponse:
    """Accuracy against tokens and cost of models, and against the time of people."""
    try:
        view = view_of(benchmark_or_404(slug), request.GET)
        found = efforts(view)
        charts = (tokens_chart(found), cost_chart(found), people_chart(people_by_time(view)))
        return report_page(
            request,
            view,
            title=_("What does an answer take?"),
            lede=_("Accuracy beside the tokens that a model writes, what they cost, and the time that people take."),
            section=effort_section(found, view),
            charts=[chart for chart in charts if chart],
        )
    except BadAddress as mistake:
        return not_there(request, str(mistake), reverse("board", args=[slug]))


def constrained(request: HttpRequest, slug: str) -> HttpResponse:
    """Free replies beside those that are held to the options."""
    try:
        view = view_of(benchmark_or_404(slug), request.GET)
        return report_page(
            request,
            view,
            title=_("Form or knowledge?"),
            lede=_(
                "The same models where they may say anything, and where they can say nothing but one of the options."
            ),
            section=constrained_section(free_and_held(view), view),
        )
    except BadAddress as mistake:
        return not_there(request, str(mistake), reverse("board", args=[slug]))


def wordings(request: HttpRequest, slug: str) -> HttpResponse:
    """The spread of accuracy over wordings and orders of options."""
    try:
        view = view_of(benchmark_or_404(slug), request.GET)
        found = rows_by_wording(view)
        return report_page(
            request,
            view,
            title=_("How much does the wording matter?"),
            lede=_("The same questions in several wordings, with the options in different orders."),
            section=wording_section(found),
            charts=[wordings_chart(found)] if found else [],
        )
    except BadAddress as mistake:
        return not_there(request, str(mistake), reverse("board", args=[slug]))
