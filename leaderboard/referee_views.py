"""Pages about referees: what changes with temperature, and how far a referee can be trusted."""

from collections import defaultdict
from statistics import fmean

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render

from benchmarks.definition import Benchmark
from evaluation.models import Run
from evaluation.refereeing.agreeing import PEOPLE, Agreement, agreements, agreements_in, beside
from evaluation.refereeing.ratings import reply_of
from evaluation.refereeing.samples import POSITIVE, RANDOM
from evaluation.refereeing.validity import Validation, validations
from humantrials.results import ratings
from leaderboard.address import shelf_of
from leaderboard.temperatures import HEADS, blocks_here, blocks_printed, has_study
from leaderboard.views import benchmark_or_404


def temperatures(request: HttpRequest, slug: str) -> HttpResponse:
    """The paper's study with tau recalculated, and this site's own."""
    benchmark = benchmark_or_404(slug)
    if not has_study(benchmark):
        raise Http404(f"{benchmark.title} has no study of temperatures")
    context = {"section": "boards", "benchmark": benchmark, "heads": HEADS, "printed": blocks_printed(benchmark)}
    here = blocks_here(benchmark, shelf_of(slug).packs)
    return render(request, "leaderboard/temperatures.html", context | {"here": here})


def referees(request: HttpRequest, slug: str) -> HttpResponse:
    """How each referee was validated, in the form of the paper's tables, and how far referees agree."""
    benchmark = benchmark_or_404(slug)
    if not any(level.dimensions for level in benchmark.levels):
        raise Http404(f"{benchmark.title} is scored by rule")
    found = validations(slug)
    known = {one.referee for one in found}
    waiting = Run.objects.filter(pack__benchmark=slug, judged=None).exclude(referee="").exclude(referee__in=known)
    context = {
        "section": "boards",
        "benchmark": benchmark,
        "found": [shown(one, benchmark) for one in found],
        "waiting": sorted(set(waiting.values_list("referee", flat=True))),
        "agreements": agreements(slug),
        "people": with_people(slug),
        "printed": [table for table in benchmark.tables if table.name in ("table-4", "table-5", "table-6")],
    }
    return render(request, "leaderboard/referees.html", context)


def with_people(slug: str) -> list[Agreement]:
    """Each referee beside the mean of what people gave to the same replies, dimension by dimension."""
    given: dict[tuple[int, str], list[float]] = defaultdict(list)
    for key, dimension, highest, points in ratings(slug):
        given[reply_of(key), dimension].append(points / highest)
    return agreements_in(beside({rated: fmean(points) for rated, points in given.items()}), of=PEOPLE)


def shown(found: Validation, benchmark: Benchmark) -> dict:
    """One validation as the page has it: a table a data set with both kinds, errors of sets, checks."""
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
