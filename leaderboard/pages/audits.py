"""Pages of what was checked about a benchmark: blind audit, item health, sealed rounds and referees (LLM judges)."""

from collections import defaultdict
from collections.abc import Sequence
from statistics import fmean
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.template.loader import render_to_string

from benchmarks.definitions.definition import Benchmark, title_among
from benchmarks.disclosure import PUBLIC, Fact, open_to
from benchmarks.gallery.page_cache import cached_body
from benchmarks.gallery.query import page_of
from benchmarks.models import Item
from evaluation.models import Run
from evaluation.referees.agreement import PEOPLE, RaterAgreement, agreements, agreements_in, beside
from evaluation.referees.validation_samples import POSITIVE, RANDOM
from evaluation.studies.human_ratings import reply_of
from evaluation.studies.validation_report import Validation, validations
from humantrials.results.judgments import ratings
from leaderboard.audits.item_health import FEWEST, health_of
from leaderboard.board.cache import version_of_items
from leaderboard.board.controls import main_switches
from leaderboard.board.query import View, view_of
from leaderboard.models import BlindAudit, SealedRound
from leaderboard.pages.boards import below_a_board, benchmark_or_404
from leaderboard.rounds.commitment import number_of, text_of
from leaderboard.rounds.fresh_scores import FreshRow, rows_of

PAGE = 50
PROBES = {
    "majority": ("majority", "the most frequent answer"),
    "template": ("template", "the text of the question without its rare words"),
    "words": ("bag of words", "which words question and options have"),
    "metadata": ("metadata", "facets shown on pages, number of options, size and rate of the clips"),
    "first-frame": ("first frame", "16 × 12 pixels of it"),
    "last-frame": ("last frame", "16 × 12 pixels of it"),
    "motion": ("total motion", "change between 32 pictures of 96 × 72 pixels added up, and which test it is"),
    "length": ("length", "seconds and number of frames"),
    "file-size": ("file size", "bytes of the stored files"),
}


@below_a_board
def blind(request: HttpRequest, slug: str) -> HttpResponse:
    """Page of a pack's blind audit: accuracy without the clips, and questions that leak."""
    benchmark = benchmark_or_404(slug)
    view = view_of(benchmark, {name: value for name, value in request.GET.dict().items() if name == "pack"})
    audit = BlindAudit.objects.filter(pack=view.pack).first() if view.pack else None
    leaking = Item.objects.filter(pack=view.pack, facets__name="caution", facets__value="leak").filter(
        open_to(PUBLIC, Fact.EXISTENCE)
    )
    context = {
        "section": "boards",
        "benchmark": benchmark,
        "view": view,
        "audit": audit,
        "answer": answer_without_looking(audit) if audit else "",
        "rows": [probe | dict(zip(("title", "sees"), PROBES[probe["probe"]], strict=True)) for probe in audit.probes]
        if audit
        else [],
        "page": page_of(request, leaking.order_by("public_id"), PAGE) if audit else None,
    }
    return render(request, "leaderboard/blind.html", context)


def answer_without_looking(audit: BlindAudit) -> str:
    """How many classifiers beat chance without the clip, in a sentence."""
    leaks = sum(bool(probe["leaks"]) for probe in audit.probes)
    if not audit.probes:
        return ""
    if not leaks:
        return f"None of {len(audit.probes)} classifiers that see only a part is shown to beat chance."
    return f"{leaks} of {len(audit.probes)} classifiers beat{'s' if leaks == 1 else ''} chance without the clip."


TURNED = ("Level", "Prompting", "Clips")  # controls of the board that apply here


@below_a_board
def health(request: HttpRequest, slug: str) -> HttpResponse:
    """Page of item health: the questions of a pack that good answerers fail and poor ones pass."""
    benchmark = benchmark_or_404(slug)
    view = view_of(benchmark, request.GET)
    kind, pack = view.strategy.kinds[0], view.pack.pk if view.pack else 0
    body = cached_body(f"health:{pack}:{kind}", version=version_of_items(), make=lambda: _health_body(view, kind))
    context = {
        "section": "boards",
        "benchmark": benchmark,
        "view": view,
        "body": body,
        "switches": [switch for switch in main_switches(view) if switch.legend in TURNED],
    }
    return render(request, "leaderboard/health.html", context)


def _health_body(view: View, kind: str) -> str:
    found = health_of(view.pack, kind) if view.pack else None
    context = {"found": found, "fewest": FEWEST, "benchmark": view.benchmark, "kind": kind}
    return render_to_string("leaderboard/parts/health_body.html", context)


def rounds(request: HttpRequest, slug: str) -> HttpResponse:
    """Page of sealed rounds: commitments, revealed seeds, and the difference between public and fresh scores."""
    benchmark = benchmark_or_404(slug)
    found = list(SealedRound.objects.filter(public__benchmark=slug).select_related("public", "fresh"))
    states = " ".join(f"{one.pk}:{one.fresh_id}:{one.opened_at}:{one.revealed_at}" for one in found)
    body = cached_body(f"rounds:{slug}:{states}", version=version_of_items(), make=lambda: _rounds_body(found))
    return render(request, "leaderboard/rounds.html", {"section": "boards", "benchmark": benchmark, "body": body})


def answer_of_rounds(rounds_with_rows: Sequence[Sequence[FreshRow]]) -> str:
    """How many models do worse on the fresh clips of the last round with results, in a sentence; "" without any."""
    for every in reversed(rounds_with_rows):
        if rows := [row for row in every if row.gap]:
            worse = sum(row.is_flagged for row in rows)
            if not worse:
                return f"None of {len(rows)} model results is shown to be worse on fresh clips."
            return f"{worse} of {len(rows)} model results {'is' if worse == 1 else 'are'} worse on fresh clips."
    return ""


def _rounds_body(found: list[SealedRound]) -> str:
    contexts = [_round_context(one) for one in found]
    context = {"rounds": contexts, "answer": answer_of_rounds([one["rows"] for one in contexts])}
    return render_to_string("leaderboard/parts/rounds_body.html", context)


def _round_context(one: SealedRound) -> dict[str, Any]:
    number = number_of(one.seed, one.value) if one.seed else None
    facts = {"definition": text_of(one.definition), "withdrawn": list(one.withdrawn)}
    return {"of": one, "rows": rows_of(one), "number": number, **facts}


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
        "answer": answer_of_referees(found),
        "waiting": sorted(set(waiting.values_list("referee", flat=True))),
        "agreements": agreements(slug),
        "people": with_people(slug),
        "printed": [table for table in benchmark.tables if table.name in ("table-4", "table-5", "table-6")],
    }
    return render(request, "leaderboard/referees.html", context)


def answer_of_referees(found: Sequence[Validation]) -> str:
    """How many referees tell right answers from others on every data set, in a sentence; "" without any."""
    tested: dict[str, bool] = {}
    for one in found:
        parts = [part.separation for part in one.parts if part.separation]
        if parts:
            tested[one.referee] = tested.get(one.referee, True) and all(part.discriminates for part in parts)
    if not tested:
        return ""
    able = sum(tested.values())
    if not able:
        return "No referee is shown to tell right answers from answers beside the point on every data set."
    verb = "tells" if able == 1 else "tell"
    return f"{able} of {len(tested)} referees {verb} right answers from answers beside the point on every data set."


def with_people(slug: str) -> list[RaterAgreement]:
    """Agreement of each referee with the mean of people's ratings of the same replies, by dimension."""
    scores: dict[tuple[int, str], list[float]] = defaultdict(list)
    for key, dimension, highest, points in ratings(slug):
        scores[reply_of(key), dimension].append(points / highest)
    return agreements_in(beside({rated: fmean(points) for rated, points in scores.items()}), of=PEOPLE)


def validation_context(found: Validation, benchmark: Benchmark) -> dict:
    """Template context of one validation: a table for each data set with both kinds, place errors and checks."""
    parts = [
        {
            "part": part,
            "title": title_among(benchmark.facet("test").values, part.dataset),
            "lines": [
                (dimension.label, part.means[RANDOM].get(dimension.name), part.means[POSITIVE].get(dimension.name))
                for dimension in part.rubric.dimensions
            ],
            "averages": (part.average(RANDOM), part.average(POSITIVE)),
        }
        for part in found.parts
    ]
    places = [(place, accepted, of) for place, (accepted, of) in found.places.items()]
    return {"of": found, "parts": parts, "places": places, "length": found.length[0], "among": found.length[1]}
