"""Public pages: the list of trials, and one trial's state and results."""

from collections import Counter
from collections.abc import Sequence
from functools import partial
from math import ceil
from typing import Any

from django.conf import settings
from django.db.models import Count, Q
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render

from benchmarks.definitions.definition import Benchmark, FacetValue
from benchmarks.definitions.registry import find_benchmark
from benchmarks.gallery.query import NoSuchChoice, no_choice, page_of
from benchmarks.models import RenditionKind
from benchmarks.templatetags.figures import figure_key
from humantrials.judging.exclusion_rules import EXCLUSIONS, PRIMARY, answers_in_doubt, left_out, registration, rules_of
from humantrials.kinds import kind_of, kinds
from humantrials.models import SheetState, Slot, Trial, TrialState
from humantrials.permissions import may_create, may_manage, seen_by
from humantrials.planning.authored_texts import consent_versions, quiz_in
from humantrials.planning.second_round import round_progress
from humantrials.protocols import find_protocol
from humantrials.protocols.protocol import Protocol
from humantrials.protocols.scales import scale_of
from humantrials.protocols.settings import setting, stills_wanted
from humantrials.results import judgments
from humantrials.results.baseline_report import BaselineReport, report_of
from humantrials.results.figures import ConditionSummary, public_summaries
from humantrials.results.methods_section import methods_of
from humantrials.results.moments import figures_of_trial, lines_of
from humantrials.results.release import intake_of
from humantrials.results.report_pdf import as_pdf

PAGE = 25
MOST_SENTENCES, FEW_SENTENCES = 24, 12
SECTION = {"section": "trials"}


def trials(request: HttpRequest) -> HttpResponse:
    """The visible trials, newest first: authors see their own drafts too; archived ones are hidden by default."""
    sheets = Count("sheets"), Count("sheets", filter=Q(sheets__state=SheetState.DONE))
    found = Trial.objects.select_related("pack").order_by("-created_at")
    found = found.annotate(sheet_count=sheets[0], done_count=sheets[1])
    archived, with_archived = found.filter(state=TrialState.ARCHIVED), "archived" in request.GET
    found = found.filter(seen_by(request.user))
    displayed = found if with_archived else found.exclude(state=TrialState.ARCHIVED)
    page = page_of(request, displayed, PAGE)
    context = {
        "page": page,
        "cards": _cards(list(page.object_list)),
        "archived_count": 0 if with_archived else archived.count(),
        "may_create": may_create(request.user),
        "extension_links": [link for kind in kinds() for link in kind.links],
    }
    return render(request, "humantrials/trials.html", {**context, **SECTION})


def _cards(found: list[Any]) -> list[dict[str, Any]]:
    """Each study with the questions on a sheet, their number and the minutes that they take."""
    counts = dict(Slot.objects.filter(trial__in=found).order_by().values_list("trial").annotate(n=Count("pk")))
    cards = []
    for one in found:
        protocol, each = find_protocol(one.protocol), round(counts.get(one.pk, 0) / (one.sheet_count or 1))
        minutes = ceil(each * protocol.player.seconds_a_trial / 60)
        cards.append({"trial": one, "each": each, "minutes": minutes, "unit": protocol.unit})
    return cards


def trial(request: HttpRequest, slug: str) -> HttpResponse:
    """One trial: its progress, how people were asked, and its results once they may be shown."""
    found = get_object_or_404(Trial.objects.filter(seen_by(request.user)).select_related("pack"), slug=slug)
    protocol, benchmark = find_protocol(found.protocol), find_benchmark(found.pack.benchmark)
    context = {
        "trial": found,
        "protocol": protocol,
        "benchmark": benchmark,
        "sheets": _sheets(found),
        **_sentences(found, protocol),
        "each": _each(found),
        "consent_versions": consent_versions(found),
        "replicates": setting(found.settings, "replicates", protocol),
        "stills": stills_wanted(found.settings),
        "may_manage": may_manage(request.user, found),
        "rounds": round_progress(found),
        "quiz": quiz_in(found, settings.LANGUAGE_CODE),
        "own_parts": kind_of(found).parts,
        **kind_of(found).results_facts(found),
    }
    if protocol.analysis.has_figures:
        context |= _results(found, protocol, benchmark, _exclusion(request))
    if "report" in request.GET:
        context["report"] = _report(found)
    return render(request, "humantrials/results.html", {**context, **SECTION})


def baseline_report(request: HttpRequest, slug: str) -> HttpResponse:
    """The human-baseline report as a PDF, as soon as the study's results are shown."""
    found = get_object_or_404(Trial.objects.filter(seen_by(request.user)).select_related("pack"), slug=slug)
    report = _report(found)
    if report is None:
        raise Http404("There is no report before results are shown, nor of answers without a figure.")
    try:
        content = as_pdf(report.title, report.blocks())
    except OSError:  # as when it loads no library
        context = {"reason": "A PDF needs cairo, which is not installed here.", "back": found.get_absolute_url()}
        return render(request, "400.html", context, status=503)
    name = {"Content-Disposition": f'attachment; filename="{found.slug}-human-baseline.pdf"'}
    return HttpResponse(content, content_type="application/pdf", headers=name)


def _report(found: Trial) -> BaselineReport | None:
    """The report under the registered exclusion, whichever the page shows; None while its results aren't shown."""
    if not find_protocol(found.protocol).analysis.has_figures:
        return None
    parts, wait = public_summaries(found)
    return None if wait else report_of(found, parts)


def _results(found: Trial, protocol: Protocol, benchmark: Benchmark, exclusion: str) -> dict[str, Any]:
    """The results under this exclusion, or what they wait for and how far the study is."""
    parts, wait = public_summaries(found, exclusion)
    if wait:
        return {"wait": wait, "intake": intake_of(found)}
    if protocol.analysis.by_moment:
        figures = figures_of_trial(found, exclusion)
        results: dict[str, Any] = {"moments": lines_of(figures) if figures else None}
    else:
        results = _scores(found, protocol, benchmark, parts, exclusion)
    return results | {
        "methods": methods_of(found, parts, exclusion),
        "exclusions": _exclusions(found, exclusion),
        "doubted": answers_in_doubt(found, exclusion),
        "has_answers": any(part.answers.rows for part in parts),  # also of a sheet on which not all was seen
        "registration": registration(found),
    }


def _scores(
    found: Trial, protocol: Protocol, benchmark: Benchmark, parts: Sequence[ConditionSummary], exclusion: str
) -> dict[str, Any]:
    """The scores by test under each condition, and those of both rounds."""
    return {
        "parts": [_condition_results(part, benchmark, protocol, is_row=exclusion == PRIMARY) for part in parts],
        "is_scored": any(part.answers.is_scored for part in parts),
        "both": judgments.both_rounds(found, exclusion),
        "scale": scale_of(found.settings),
    }


def _exclusion(request: HttpRequest) -> str:
    """The exclusion named in the URL, or the protocol's own."""
    name = request.GET.get("exclude", PRIMARY)
    if name not in EXCLUSIONS:
        raise NoSuchChoice(no_choice("exclusion", name, EXCLUSIONS))
    return name


def _exclusions(found: Trial, current: str) -> list[dict[str, Any]]:
    """All exclusions with their rules in words; for the current one with the number of people each rule excludes."""
    counts = left_out(found, current)
    return [
        {
            "name": name,
            "title": title,
            "is_current": name == current,
            "rules": [
                (rule.says, counts.get(rule.name) if name == current else None) for rule in rules_of(found, name)
            ],
        }
        for name, title in EXCLUSIONS.items()
    ]


def _condition_results(
    part: ConditionSummary, benchmark: Benchmark, protocol: Protocol, *, is_row: bool
) -> dict[str, Any]:
    """The results under one condition, which is named only if the trial has several; `is_row`: as on its board."""
    condition = part.condition if len(judgments.conditions_of(part.trial)) > 1 else ""
    row = f"trial-{part.trial.slug}" + (f"~{condition}" if condition else "")
    key = partial(figure_key, row if is_row else "", "all", protocol.design.group)
    return {
        "condition": condition,
        "groups": [(*one, key(one[1].group)) for one in _titled(benchmark, protocol, part.figures.groups)],
        "whole": part.figures.whole,
        "whole_key": figure_key(row if is_row else "", "all"),
        "abstained": sum(group.abstained for group in part.figures.groups),
        "agreement": part.figures.agreed,
        "hardest": _pictured(judgments.hardest(part.answers), benchmark),
    }


def _pictured(hard: list[judgments.HardItem], benchmark: Benchmark) -> list[tuple[judgments.HardItem, str]]:
    """Each item with the URL of its poster frame, or '' if that may not be shown."""
    clips = [one.item.clip if benchmark.media_policy == "public" else None for one in hard]
    posters = [clip.rendition(RenditionKind.POSTER) if clip else None for clip in clips]
    return [(one, poster.get_absolute_url() if poster else "") for one, poster in zip(hard, posters, strict=True)]


def _sentences(found: Trial, protocol: Protocol) -> dict[str, object]:
    """The sentences shown in the trial; of very many only the first few, and the number of the others.

    Texts that people rate contain right answers, so none is shown.
    """
    if not protocol.analysis.has_figures:
        return {}
    texts = found.pack.items.filter(slots__trial=found).order_by("text").values_list("text", flat=True).distinct()
    every = sorted({protocol.player.sentence(text) for text in texts})
    displayed = every if len(every) <= MOST_SENTENCES else every[:FEW_SENTENCES]
    return {"sentences": displayed, "more_sentences": len(every) - len(displayed)}


def _each(found: Trial) -> str:
    """The number of questions on a sheet, or its range."""
    lengths = Counter(found.slots.values_list("sheet_id", flat=True)).values()
    shortest, longest = min(lengths, default=0), max(lengths, default=0)
    return str(longest) if shortest == longest else f"{shortest}–{longest}"


def _sheets(found: Trial) -> dict[str, int]:
    states = {state: Count("pk", filter=Q(state=state)) for state in SheetState.values}
    return found.sheets.aggregate(all=Count("pk"), **states)


def _titled(
    benchmark: Benchmark, protocol: Protocol, groups: list[judgments.GroupResult]
) -> list[tuple[FacetValue | None, judgments.GroupResult]]:
    """The groups with the benchmark's titles, in its order."""
    values = benchmark.facet(protocol.design.group).values
    known = {value.value: value for value in values}
    places = {value.value: place for place, value in enumerate(values)}
    ordered = sorted(groups, key=lambda result: places.get(result.group, len(places)))
    return [(known.get(result.group), result) for result in ordered]
