"""Pages of models: evaluated here, uploaded, or reported in papers."""

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from django.conf import settings
from django.db.models import Count, Max, Q
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.template.loader import render_to_string
from django.urls import reverse

from benchmarks.definitions.definition import Benchmark
from benchmarks.definitions.registry import BENCHMARKS
from benchmarks.gallery.browse import ItemCard, examples_of
from benchmarks.gallery.page_cache import cached_body, cached_value
from benchmarks.gallery.query import NoSuchChoice, no_choice, page_of
from evaluation.models import Model, ModelRole, Run
from evaluation.runs.pages.rows import RunRow, model_facts, run_rows
from leaderboard.board.cache import version_of
from leaderboard.board.overviews.level_results import LevelResults, all_levels, hidden_studies, levels_of_model
from leaderboard.board.overviews.model_profile import (
    RankedTest,
    best_and_worst_tests,
    lines_of_concepts,
    lines_of_levels,
    standings_of_model,
    strategy_tables,
    views_of,
    with_corrected_p,
)
from leaderboard.board.overviews.model_profile import sentence_of as sentence_of_profile
from leaderboard.board.overviews.model_table import (
    ModelGap,
    ModelScore,
    ModelScores,
    benchmarks_with_scores,
    scores_of,
    sentence_of,
)
from leaderboard.board.overviews.people_and_models import key_of_strips
from leaderboard.board.page_parts import REGISTERED
from leaderboard.board.reported_models import ReportedModel, reported_models
from leaderboard.board.rows_alike import apart_of
from leaderboard.board.strip_points import key_of_mark
from leaderboard.charts.chart import Chart
from leaderboard.charts.model_charts import cost_chart, profile_of_model, size_chart, size_in
from leaderboard.charts.rendering.drawing import page_drawing_of
from leaderboard.exports.provenance import entry_of_page, paper_entry
from leaderboard.labels import PICTURES
from leaderboard.models import Standing
from leaderboard.pages.boards import leads_back_to
from leaderboard.pages.charts import chart_file
from leaderboard.pages.model_list import MENUS, ModelEntry, narrowed
from measures.ranking import ordered

A_PAGE = 50
MARKS = ("people", "people hollow", "model", "model hollow", "model base")


SORTS: dict[str, str] = {  # "" = the smallest gap; with - the other way round
    "": "smallest gap",
    "size": "largest",
    "-size": "smallest",
    "date": "newest",
    "-date": "oldest",
}


def models(request: HttpRequest) -> HttpResponse:
    """Page that lists every model, those with results here first, narrowed by a search and the menus."""
    wanted, sort = (request.GET.get(name, "").strip()[:80] for name in ("search", "sort"))
    chosen = {name: request.GET.get(name, "").strip()[:80] for name in MENUS}
    for name, value, known in (*((name, chosen[name], MENUS[name][1]) for name in MENUS), ("sort", sort, SORTS)):
        if value not in known:
            raise NoSuchChoice(no_choice(name, value, filter(None, known)))
    entries = _entries(request)
    scores = cached_value("models", version=_version(), make=_scores)
    named = [entry for entry in entries if wanted.casefold() in entry.name.casefold()]
    left, menus = narrowed(named, chosen, search=wanted, sort=sort)
    every = _sorted(left, sort, scores)
    page = page_of(request, every, A_PAGE)
    columns = benchmarks_with_scores(scores, BENCHMARKS.values())
    rows = [(one, *_cells(one, columns, scores)) for one in page]
    context: dict[str, Any] = {"page": page, "rows": rows, "columns": columns, "search": wanted, "section": "models"}
    context |= {"sort": sort, "sorts": SORTS.items(), "sorted_by": SORTS[sort]}
    context |= {
        "menus": menus,
        "is_narrowed": wanted or any(chosen.values()),
        "chosen": [*chosen.items(), ("sort", sort)],
    }
    links = {one.link for one in entries if not one.is_baseline}
    context["sentence"] = sentence_of([one.gap for link, one in scores.items() if one.gap and link in links])
    context["parts"] = [parts.of_models() for parts in REGISTERED]
    context["keys"] = key_of_strips(MARKS, has_chance=True)
    context["has_own"] = any(one.runs or one.made_here for one in named) or bool(wanted)
    return render(request, "leaderboard/models.html", context)


def _scores() -> dict[str, ModelScores]:
    """Every model's scores and gap, by its link."""
    every = all_levels()
    results = (one for level in every for one in (*level.results, *level.each_test))
    links = dict.fromkeys(one.row.model_link for one in results if one.row.model_link)
    return scores_of(links, every)


def _cells(
    entry: ModelEntry, columns: list[Benchmark], scores: dict[str, ModelScores]
) -> tuple[list[tuple[Benchmark, ModelScore | None]], ModelGap | None]:
    """The scores in the columns of the table, and the gap."""
    own = scores.get(entry.link)
    return [(column, own.scores.get(column.slug) if own else None) for column in columns], own.gap if own else None


def _sorted(entries: list[ModelEntry], sort: str, scores: dict[str, ModelScores]) -> list[ModelEntry]:
    """The entries by gap, size or date, those without one last: then those with more scores first."""
    if name := sort.removeprefix("-"):
        return ordered(entries, lambda one: getattr(one, name) or None, descending=name == sort)

    def place(one: ModelEntry) -> tuple[bool, float, bool, int]:
        own = scores.get(one.link)
        gap = own.gap.value if own and own.gap else None
        return gap is None, gap or 0.0, one.is_baseline, -len(own.scores) if own else 0

    return sorted(entries, key=place)


def _entries(request: HttpRequest) -> list[ModelEntry]:
    """Models of this site and of papers as one list, without uploads that nobody may see yet."""
    visible = Q(runs__in=Run.objects.visible_to(request.user))
    latest = Max("runs__created_at", filter=visible)
    listed = Model.objects.annotate(run_count=Count("runs", filter=visible), latest=latest)
    reported = reported_models()
    found = []
    for model in listed.exclude(Q(run_count=0) & Q(kind="uploaded")).defer("options"):
        found.append(_entry_of(model, reported.pop(model.slug, None)))
    found += [_reported_entry_of(one) for one in reported.values()]
    return sorted(found, key=lambda one: (not one.runs, one.name.casefold(), one.link))


def _entry_of(model: Any, reported: ReportedModel | None) -> ModelEntry:
    date = f"{model.latest:%Y-%m-%d}" if model.latest else reported.date if reported else ""
    known = {name: str(model.card.get(name) or "") for name in ("organisation", "parameters", "released", "weights")}
    return ModelEntry(
        str(model),
        model.get_absolute_url(),
        _first_sentence(model.description or model.kind),
        model.run_count,
        model.made_here,
        model.is_uploaded,
        tuple(reported.benchmarks) if reported else (),
        parameters=known["parameters"] or size_in(str(model)),
        date=known["released"] or date,
        maker=known["organisation"],
        weights=known["weights"],
        is_baseline=model.role != ModelRole.MODEL,
    )


def _reported_entry_of(one: ReportedModel) -> ModelEntry:
    what = "baseline of a paper" if one.is_baseline else "reported in papers"
    facts: dict[str, Any] = {"parameters": size_in(one.name), "date": one.date, "is_baseline": one.is_baseline}
    return ModelEntry(one.name, reverse("model", args=[one.slug]), what, reported_in=tuple(one.benchmarks), **facts)


def _first_sentence(text: str) -> str:
    return re.split(r"(?<=[.!?])\s", text, maxsplit=1)[0]


def model(request: HttpRequest, slug: str) -> HttpResponse:
    """Page of one model, evaluated here, uploaded or reported, or both."""
    found, reported = model_or_404(request, slug)
    link = reverse("model", args=[slug])
    body = cached_body(
        f"model:{slug}:{found is not None}", version=_version(), make=lambda: _body(found, reported, slug)
    )
    name = name_of_model(found, reported)
    context: dict[str, Any] = {
        "section": "models",
        "model": found,
        "reported": reported,
        "name": name,
        "body": body,
        "path": link,
    }
    context |= {"slug": slug, "pictures": PICTURES.items(), "summary": _summary(found, reported)}
    context["citations"] = _citations(found, reported, name, link)
    context["badge"] = cached_value(f"badge-of:{slug}", version=_version(), make=lambda: _badge_of(slug))
    context |= {"about": about_model(found, reported), "image": f"{reverse('model-picture', args=[slug])}?format=png"}
    if found:
        visible = found.runs.visible_to(request.user).select_related("pack", "model")
        page = page_of(request, visible.order_by("-finished_at", "-created_at", "-pk"), A_PAGE)
        context |= {"page": page, "rows": _distinguished(run_rows(page.object_list)), "facts": model_facts(found)}
        context["is_baseline"] = found.role != ModelRole.MODEL
        slugs = set(visible.order_by().values_list("pack__benchmark", flat=True))
        context["boards"] = [benchmark for benchmark in BENCHMARKS.values() if benchmark.slug in slugs]
        context |= {"parts": [parts.of_model(found) for parts in REGISTERED], "compared": found.card.get("compared")}
        context["revisions"] = sorted(set(visible.order_by().values_list("revision", flat=True).distinct()) - {""})
    return render(request, "leaderboard/model.html", context)


def _distinguished(rows: Sequence[RunRow]) -> list[RunRow]:
    """The same rows; those that look alike name the settings that differ."""
    looks = [f"{row.run.pack_id} {row.run.split} {row.strategy} {row.run.condition} {row.run.revision}" for row in rows]
    settings = apart_of(zip(looks, (row.run for row in rows), strict=True))
    return [replace(row, apart=apart) for row, apart in zip(rows, settings, strict=True)]


SUMMARY = {"organisation": "Maker", "parameters": "Size", "weights": "Weights", "released": "Released"}


def _summary(found: Model | None, reported: ReportedModel | None) -> list[tuple[str, str]]:
    """What is known of the model, from its card or its papers: title and text."""
    card = found.card if found else {}
    facts = [(title, str(card.get(name) or "")) for name, title in SUMMARY.items()]
    if reported:
        facts.append(
            ("Reported in", f"{', '.join(one.title for one in reported.benchmarks)}, {reported.date}".rstrip(", "))
        )
    return [(title, text) for title, text in facts if text]


@leads_back_to("model")
def picture(request: HttpRequest, slug: str) -> HttpResponse:
    """The model's figures beside people's as a file: svg, png, pdf, or the table behind it."""
    chart = picture_of(slug, name_of_model(*model_or_404(request, slug)))
    return chart_file(request, chart, request.GET.get("format", "svg"), f"model-{slug}")


def picture_of(slug: str, name: str) -> Chart:
    """The drawing of the model's figures beside people's."""
    return cached_value(
        f"picture:{slug}:{name}", version=_version(), make=lambda: profile_of_model(name, _levels(slug))
    )


def _levels(slug: str) -> list[LevelResults]:
    return levels_of_model(reverse("model", args=[slug]), all_levels())


def _badge_of(slug: str) -> str:
    """The address of the badge of its row with the most questions, on a board's default view; "" without a row."""
    every = [(level, one) for level in _levels(slug) for one in (*level.models, *level.reported) if not one.strategy]
    if not every:
        return ""
    level, one = max(every, key=lambda pair: pair[1].cell.n or 0)
    return f"{reverse('badge', args=[level.benchmark.slug])}?{level.view.query}&row={one.row.key}"


def name_of_model(found: Model | None, reported: ReportedModel | None) -> str:
    """Its name here, else in papers."""
    return str(found or "") or (reported.name if reported else "")


def model_or_404(request: HttpRequest, slug: str) -> tuple[Model | None, ReportedModel | None]:
    """The site's and the papers' model with this slug; 404 for an upload that nobody may see yet."""
    found = Model.objects.filter(slug=slug).first()
    if found and found.is_uploaded and not found.runs.visible_to(request.user).exists():
        found = None
    reported = reported_models().get(slug)
    if found is None and reported is None:
        raise Http404(f"There is no model {slug}.")
    return found, reported


def _version() -> str:
    return f"{version_of('')}|{sorted(hidden_studies().items())}"


def about_model(found: Model | None, reported: ReportedModel | None) -> str:
    """One sentence: what the model is, or where it is reported."""
    if found and (what := found.description):
        return what
    if reported:
        titles = ", ".join(benchmark.title for benchmark in reported.benchmarks)
        text = "Baseline reported by %(papers)s." if reported.is_baseline else "Reported by %(papers)s."
        return text % {"papers": titles} + ("" if found else " Not evaluated here.")
    return ""


def _body(found: Model | None, reported: ReportedModel | None, slug: str) -> str:
    """The figures on the page: sentence, profile, strategies, best and worst tests, size and cost."""
    link, every = reverse("model", args=[slug]), all_levels()
    levels = levels_of_model(link, every)
    own = list(views_of(standings_of_model(found))) if found else []
    name = name_of_model(found, reported)
    whole, concepts = lines_of_levels(levels), lines_of_concepts(slug)
    lines = with_corrected_p([*whole, *concepts])
    parts = lines[: len(whole)], lines[len(whole) :]
    looks = {key_of_mark(side.row) for line in lines for side in (line.people, line.model) if side}
    context = {
        "name": name,
        "link": link,
        "about": about_model(found, reported),
        "reported": reported,
        "sentence": sentence_of_profile(*parts),
        "profile": [
            (title, one) for title, one in zip(("On whole benchmarks", "By concept"), parts, strict=True) if one
        ],
        "keys": key_of_strips(looks, has_chance=any(line.chance is not None for line in lines)),
        "without": _without_figure(levels, reported),
        "tables": strategy_tables(link, own),
        "ranked": _with_examples(best_and_worst_tests(own)),
        "charts": [(chart, page_drawing_of(chart)) for chart in _charts(name, link, levels, every)],
        "compared": _compared(own),
    }
    return render_to_string("leaderboard/parts/model_body.html", context)


def _without_figure(levels: list[LevelResults], reported: ReportedModel | None) -> list[str]:
    """Titles of the benchmarks on which the model has no figure, neither here nor in a paper."""
    known = {level.benchmark.slug for level in levels} | {one.slug for one in (reported.benchmarks if reported else ())}
    return [benchmark.title for benchmark in BENCHMARKS.values() if benchmark.slug not in known]


def _with_examples(tests: list[RankedTest]) -> list[tuple[str, RankedTest, list[ItemCard]]]:
    """The best and the worst test, both of one run, with their titles and an example of each."""
    if not tests:
        return []
    view, values = tests[0].view, [one.value.value for one in tests]
    found = examples_of(view.benchmark, view.pack, view.strategy, view.group, values, most=1)
    titles = ("Best test", "Worst test")[-len(tests) :]
    return [(title, one, found[one.value.value]) for title, one in zip(titles, tests, strict=True)]


def _charts(name: str, link: str, levels: list[LevelResults], every: list[LevelResults]) -> list[Chart]:
    """Size and cost against score, of the level with the most models."""
    own = {(level.benchmark.slug, level.view.level.number, level.view.split) for level in levels}
    beside = [one for one in every if (one.benchmark.slug, one.view.level.number, one.view.split) in own]
    ordered = sorted(beside, key=lambda one: -len((*one.models, *one.reported)))
    sizes = (size_chart(name, link, one) for one in ordered)
    costs = _costs()
    prices = (cost_chart(name, link, one, costs) for one in ordered)
    first = (next((chart for chart in charts if chart), None) for charts in (sizes, prices))
    return [chart for chart in first if chart]


def _costs() -> dict[str, float]:
    """Key of a run's row -> cost of a question, if its model states prices."""
    found = Standing.objects.filter(run__card__usage__cost__gt=0).values_list("run_id", "run__card", "overall__n")
    return {f"run-{pk}": card["usage"]["cost"] / n for pk, card, n in found if n}


def _citations(found: Model | None, reported: ReportedModel | None, name: str, link: str) -> list[str]:
    """BibTeX: this page, the paper on the card, the papers that report the model."""
    own = paper_entry(name, found.paper) if found else ""
    papers = [benchmark.citation for benchmark in reported.benchmarks] if reported else []
    page = entry_of_page(link.strip("/").replace("/", "-"), f"{name} on benchsite", settings.SITE_URL + link)
    return [f"{entry.strip()}\n" for entry in (page, own, *papers) if entry]


def _compared(own: list[Any]) -> str:
    """Query of a comparison of its largest row with people on the same pack; "" without rows."""
    if not own:
        return ""
    standing, _view, row = max(own, key=lambda one: (one[2].overall.n if one[2].overall else None) or 0)
    return f"a={row.key}" if standing.run_id else ""
