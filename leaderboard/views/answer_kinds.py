"""Pages beside the board: answers beyond right and wrong, decidable clips, and prompting."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from django.http import HttpRequest, HttpResponse
from django.urls import reverse

from benchmarks.definitions.definition import Benchmark, StrategyName
from leaderboard.board.query import BadAddress, View, view_of
from leaderboard.charts.calibration_chart import calibration_chart
from leaderboard.charts.chart import Chart
from leaderboard.charts.effort_charts import cost_chart, people_chart, tokens_chart
from leaderboard.charts.frames_chart import frames_chart
from leaderboard.charts.wordings_chart import wordings_chart
from leaderboard.comparison.constrained import constrained_section, free_and_held
from leaderboard.comparison.efforts import effort_section, efforts, people_by_time
from leaderboard.comparison.likelihood import likelihood_section, margin_in, rows_by_likelihood
from leaderboard.comparison.moments import moment_section, moment_view
from leaderboard.comparison.report_section import ReportSection
from leaderboard.comparison.same_eyes import ceilings, decidable_rows, same_eyes_section
from leaderboard.comparison.surprise import surprise_section, surprise_view
from leaderboard.comparison.twins import twins_section
from leaderboard.comparison.wordings import rows_by_wording, wording_section
from leaderboard.views.boards import benchmark_or_404, not_there
from leaderboard.views.report_page import report_page

Parameters = Mapping[str, str]


@dataclass(frozen=True)
class AnswerPage:
    """One page: its view, its texts, its table and its charts."""

    view: View
    title: str
    lede: str
    section: ReportSection
    charts: tuple[Chart | None, ...] = ()  # None for one without content


def likelihood(benchmark: Benchmark, read: Parameters) -> AnswerPage:
    view = view_of(benchmark, read)
    found = rows_by_likelihood(view)
    curves = [(row.name, bins) for _strategy, row in found if (bins := margin_in(row).get("bins"))]
    return AnswerPage(
        view,
        "How sure are the answers?",
        "The probabilities that models give to yes and no, and how sure people said they were.",
        likelihood_section(found),
        (calibration_chart(curves) if curves else None,),
    )


def twins(benchmark: Benchmark, read: Parameters) -> AnswerPage:
    view = _view(benchmark, read, lambda one: one.with_twin)
    if not any(benchmark.strategy(name).with_twin for name in view.level.strategies):
        raise BadAddress(f"{benchmark.title}, level {view.level.number}, has no twins")
    return AnswerPage(
        view,
        "Both of a pair",
        "The same scene with and without a violation: who is right about both?",
        twins_section(view),
    )


def surprise(benchmark: Benchmark, read: Parameters) -> AnswerPage:
    view = surprise_view(_view(benchmark, read, lambda one: one.by_surprise))
    return AnswerPage(
        view,
        "What surprises a model?",
        "Models that predict what comes next and answer no question: are they more surprised by what cannot be?",
        surprise_section(view),
    )


def moments(benchmark: Benchmark, read: Parameters) -> AnswerPage:
    view = moment_view(_view(benchmark, read, lambda one: one.by_moment))
    return AnswerPage(
        view,
        "When did it break?",
        "The second at which one can first know that something impossible happened, or nothing.",
        moment_section(view),
    )


def same_eyes(benchmark: Benchmark, read: Parameters) -> AnswerPage:
    """Accuracy of models on clips that their frames can decide."""
    view = _view(benchmark, read, lambda one: one.by_moment)
    found = decidable_rows(view)
    answerers: dict[str, list[tuple[int, float]]] = {}
    for one in found:
        answerers.setdefault(f"{one.row.name}, {one.prompting}", []).append((one.frames, one.figures["all"]["score"]))
    ceiling = ceilings(view)
    return AnswerPage(
        view,
        "Same eyes",
        "Could the answer be seen in the frames that were sent? Nobody can be right about what was not shown.",
        same_eyes_section(found),
        (frames_chart(answerers, ceiling) if ceiling else None,),
    )


def effort(benchmark: Benchmark, read: Parameters) -> AnswerPage:
    """Accuracy against tokens and cost of models, and against the time of people."""
    view = view_of(benchmark, read)
    found = efforts(view)
    return AnswerPage(
        view,
        "What does an answer take?",
        "Accuracy beside the tokens that a model writes, what they cost, and the time that people take.",
        effort_section(found, view),
        (tokens_chart(found), cost_chart(found), people_chart(people_by_time(view))),
    )


def constrained(benchmark: Benchmark, read: Parameters) -> AnswerPage:
    """Free replies beside constrained ones."""
    view = view_of(benchmark, read)
    return AnswerPage(
        view,
        "Form or knowledge?",
        "The same models with free replies, and with replies constrained to the options.",
        constrained_section(free_and_held(view), view),
    )


def wordings(benchmark: Benchmark, read: Parameters) -> AnswerPage:
    """The spread of accuracy over wordings and orders of options."""
    view = view_of(benchmark, read)
    found = rows_by_wording(view)
    return AnswerPage(
        view,
        "How much does the wording matter?",
        "The same questions in several wordings, with the options in different orders.",
        wording_section(found),
        (wordings_chart(found) if found else None,),
    )


PAGES: dict[str, Callable[[Benchmark, Parameters], AnswerPage]] = {
    "likelihood": likelihood,
    "twins": twins,
    "surprise": surprise,
    "moments": moments,
    "same-eyes": same_eyes,
    "effort": effort,
    "constrained": constrained,
    "wordings": wordings,
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
            charts=[chart for chart in found.charts if chart],
        )
    except BadAddress as mistake:
        return not_there(request, str(mistake), reverse("board", args=[slug]))


def _view(benchmark: Benchmark, read: Parameters, wanted: Callable[[StrategyName], bool]) -> View:
    """The view of the address, by default on the level of the strategy wanted."""
    level = next((one.level for one in benchmark.strategies if wanted(one)), "")
    return view_of(benchmark, {"level": level} | dict(read))
