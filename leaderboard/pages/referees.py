"""The page about referees (LLM judges): their validation and their agreement."""

from collections import defaultdict
from statistics import fmean

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render

from benchmarks.definitions.definition import Benchmark
from evaluation.models import Run
from evaluation.referees.agreement import PEOPLE, RaterAgreement, agreements, agreements_in, beside
from evaluation.referees.validation_samples import POSITIVE, RANDOM
from evaluation.studies.human_ratings import reply_of
from evaluation.studies.validation_report import Validation, validations
from humantrials.results.judgments import ratings
from leaderboard.pages.boards import benchmark_or_404


def referees(request: HttpRequest, slug: str) -> HttpResponse:
    """Page of each referee's validation, in the form of the paper's tables, and of agreement between referees."""
    benchmark = benchmark_or_404(slug)
    if not any(level.dimensions for level in benchmark.levels):
        raise Http404(f"{benchmark.title} is scored by rule")
    found = validations(slug)
    known = {one.referee for one in found}
    waiting = Run.objects.filter(pack__benchmark=slug, judged=None).exclude(referee="").exclude(referee__in=known)
    context = {
        "section": "boards",
        "benchmark": benchmark,
        "found": [validation_context(one, benchmark) for one in found],
        "waiting": sorted(set(waiting.values_list("referee", flat=True))),
        "agreements": agreements(slug),
        "people": with_people(slug),
        "printed": [table for table in benchmark.tables if table.name in ("table-4", "table-5", "table-6")],
    }
    return render(request, "leaderboard/referees.html", context)


def with_people(slug: str) -> list[RaterAgreement]:
    """Agreement of each referee with the mean of people's ratings of the same replies, by dimension."""
    scores: dict[tuple[int, str], list[float]] = defaultdict(list)
    for key, dimension, highest, points in ratings(slug):
        scores[reply_of(key), dimension].append(points / highest)
    return agreements_in(beside({rated: fmean(points) for rated, points in scores.items()}), of=PEOPLE)


def validation_context(found: Validation, benchmark: Benchmark) -> dict:
    """Template context of one validation: a table for each data set with both kinds, place errors and checks."""
    titles = {value.value: value.title for value in benchmark.facet("test").values}
    parts = [
        {
            "part": part,
            "title": titles.get(part.dataset, part.dataset),
            "lines": [
                (one.label, part.means[RANDOM].get(one.name), part.means[POSITIVE].get(one.name))
                for one in part.rubric.dimensions
            ],
            "averages": (part.average(RANDOM), part.average(POSITIVE)),
        }
        for part in found.parts
    ]
    places = [(place, accepted, of) for place, (accepted, of) in found.places.items()]
    return {"of": found, "parts": parts, "places": places, "length": found.length[0], "among": found.length[1]}
