"""Pages of answers beyond right and wrong: likelihoods, twins, surprise, moments, and what could be seen."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.translation import gettext as _

from benchmarks.definitions.definition import Benchmark, StrategyName
from leaderboard.board.query import BadAddress, View, view_of
from leaderboard.charts.calibration_chart import calibration_chart
from leaderboard.charts.chart import Chart
from leaderboard.charts.frames_chart import frames_chart
from leaderboard.comparison.likelihood import likelihood_section, margin_in, rows_by_likelihood
from leaderboard.comparison.moments import moment_section, moment_view
from leaderboard.comparison.report_section import ReportSection
from leaderboard.comparison.same_eyes import ceilings, decidable_rows, same_eyes_section
from leaderboard.comparison.surprise import surprise_section, surprise_view
from leaderboard.comparison.twins import twins_section
from leaderboard.views.boards import benchmark_or_404, not_there
from leaderboard.views.report_page import report_page

Parameters = Mapping[str, str]


@dataclass(frozen=True)
class AnswerPage:
    """One page: its view, its words, its table and a chart if there is one."""

    view: View
    title: str
    lede: str
    section: ReportSection
    chart: Chart | None = None


def likelihood(benchmark: Benchmark, read: Parameters) -> AnswerPage:
    view = view_of(benchmark, read)
    found = rows_by_likelihood(view)
    curves = [(row.name, bins) for _strategy, row in found if (bins := margin_in(row).get("bins"))]
    return AnswerPage(
        view,
        _("How sure are the answers?"),
        _("The probabilities that models give to yes and no, and how sure people said they were."),
        likelihood_section(found),
        calibration_chart(curves) if curves else None,
    )


def twins(benchmark: Benchmark, read: Parameters) -> AnswerPage:
    view = _view(benchmark, read, lambda one: one.with_twin)
    if not any(benchmark.strategy(name).with_twin for name in view.level.strategies):
        raise BadAddress(f"{benchmark.title}, level {view.level.number}, has no twins")
    return AnswerPage(
        view,
        _("Both of a pair"),
        _("The same scene with and without a violation: who is right about both?"),
        twins_section(view),
    )


def surprise(benchmark: Benchmark, read: Parameters) -> AnswerPage:
    view = surprise_view(_view(benchmark, read, lambda one: one.by_surprise))
    return AnswerPage(
        view,
        _("What surprises a model?"),
        _("Models that predict what comes next and answer no question: are they more surprised by what cannot be?"),
        surprise_section(view),
    )


def moments(benchmark: Benchmark, read: Parameters) -> AnswerPage:
    view = moment_view(_view(benchmark, read, lambda one: one.by_moment))
    return AnswerPage(
        view,
        _("When did it break?"),
        _("The second at which one can first know that something impossible happened, or nothing."),
        moment_section(view),
    )


def same_eyes(benchmark: Benchmark, read: Parameters) -> AnswerPage:
    """What models get right among what the frames that they were sent can tell."""
    view = _view(benchmark, read, lambda one: one.by_moment)
    found = decidable_rows(view)
    answerers: dict[str, list[tuple[int, float]]] = {}
    for one in found:
        answerers.setdefault(f"{one.row.name}, {one.prompting}", []).append((one.frames, one.figures["all"]["score"]))
    ceiling = ceilings(view)
    return AnswerPage(
        view,
        _("Same eyes"),
        _("Could the answer be seen in the frames that were sent? Nobody can be right about what was not shown."),
        same_eyes_section(found),
        frames_chart(answerers, ceiling) if ceiling else None,
    )


PAGES: dict[str, Callable[[Benchmark, Parameters], AnswerPage]] = {
    "likelihood": likelihood,
    "twins": twins,
    "surprise": surprise,
    "moments": moments,
    "same-eyes": same_eyes,
}


def answer_page(request: HttpRequest, slug: str, name: str) -> HttpResponse:
    """The page of this name, or its table as a file."""
    try:
        found = PAGES[name](benchmark_or_404(slug), request.GET.dict())
        return report_page(
            request,
            found.view,
            title=found.title,
            lede=found.lede,
            section=found.section,
            charts=[found.chart] if found.chart else [],
        )
    except BadAddress as mistake:
        return not_there(request, str(mistake), reverse("board", args=[slug]))


def _view(benchmark: Benchmark, read: Parameters, wanted: Callable[[StrategyName], bool]) -> View:
    """The view of the address, by default on the level of the strategy wanted."""
    level = next((one.level for one in benchmark.strategies if wanted(one)), "")
    return view_of(benchmark, {"level": level} | dict(read))
