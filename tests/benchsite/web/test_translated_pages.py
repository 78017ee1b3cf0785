"""Public pages in German and Arabic: every text is translated, and each page is in one language."""

import ast
import re
from collections.abc import Iterator
from html import unescape
from itertools import product
from pathlib import Path

import pytest
from django.test import Client
from django.utils.translation.template import templatize

from benchmarks.definitions.concepts import CONCEPTS
from benchmarks.definitions.definition import NO_TERMS, Benchmark
from benchmarks.definitions.registry import BENCHMARKS
from benchmarks.definitions.titles import in_english, plural
from benchmarks.models import Origin
from evaluation.referees.rubrics import RUBRICS
from evaluation.runs.card_texts import FIELDS, LISTED, PHRASES, SENTENCES, catalogued
from evaluation.training.craft.recipes import SETTINGS
from leaderboard.standings.paired_differences import MCNEMAR, SCORE, SIGN_FLIP
from leaderboard.views import answer_kinds
from scenes.craft.explaining import TEXTS as EXPLAINED
from tests.factories import make_pack
from tests.humantrials.test_locale import LANGUAGES, entries

ROOT = Path(__file__).resolve().parent.parent.parent.parent
LONG = (  # texts on method and for staff, whose pages are English
    "leaderboard/statistics",
    "leaderboard/audio_",
    "leaderboard/referees",
    "leaderboard/temperatures",
    "leaderboard/figure_3",
    "leaderboard/by_value",
    "leaderboard/snapshot",
    "leaderboard/api_docs",
    "leaderboard/layout",
    "leaderboard/trainings",
    "leaderboard/parts/validation",
    "leaderboard/parts/agreements",
    "leaderboard/parts/temperatures",
    "leaderboard/parts/api_calls",
    "benchmarks/material",
    "benchmarks/parts/material",
)
FOLDERS = ("leaderboard", "benchmarks", "docs", "parts")
OF_RUNS = ("compared", "film", "spoken_reply", "thoughts")  # parts of a run's page that public pages include
MODULES = (
    "benchmarks/definitions",
    "benchmarks/gallery",
    "benchmarks/packs",
    "leaderboard/board",
    "leaderboard/items",
    "leaderboard/charts",
    "leaderboard/comparison",
    "leaderboard/publications",
    "leaderboard/views",
)
FILES = (
    "leaderboard/labels.py",
    "leaderboard/exports/table.py",
    "evaluation/prompting/thinking.py",
    "evaluation/runs/known_issues.py",
)
OWN_PAGES = ("audio_effects.py", "audio_changes.py", "audio.py", "snapshots.py", "referees.py", "feed.py")
STRING = r"('(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\")"
MARKED = re.compile(rf"\b(n?)gettext\(\s*u?{STRING}")


def texts_of_templates() -> dict[str, str]:
    """Every text that a public template marks, and the template."""
    found = {}
    paths = [ROOT / "templates" / name for name in ("base.html", "404.html", "400.html")]
    paths += [ROOT / "templates" / "humantrials" / name for name in ("trials.html", "parts/state.html")]
    paths += [path for folder in FOLDERS for path in sorted((ROOT / "templates" / folder).rglob("*.html"))]
    paths += [ROOT / "templates" / "evaluation" / "parts" / f"{name}.html" for name in OF_RUNS]
    for path in paths:
        name = path.relative_to(ROOT / "templates").as_posix()
        if not name.startswith(LONG):
            for _plural, text in MARKED.findall(templatize(path.read_text(), origin=name)):
                found[ast.literal_eval(text)] = name
    return found


def texts_of_modules() -> dict[str, str]:
    """Every text that the modules of these pages mark."""
    found = {}
    modules = [path for folder in MODULES for path in (ROOT / folder).glob("*.py") if path.name not in OWN_PAGES]
    for path in (*modules, *(ROOT / name for name in FILES)):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
                is_marked = node.func.id in ("_", "_lazy", "gettext", "gettext_lazy", "gettext_noop", "ngettext")
                if is_marked and isinstance(node.args[0], ast.Constant):
                    found[str(node.args[0].value)] = path.name
    return found | texts_of_constants()


NAMES = {"PACS", "PACS-material", "Tapped", "Tapped-material"}  # as are data sets and templates of CRAFT
DATA_SETS = {"ActivityNet Captions", "Charades", "CLEVRER", "RoboSet (Teleoperation)"}
NAMED = ("template", "material-pair")  # facets whose values are names, or two values of another facet
PRINTED = re.compile(
    r"[-\d.,± /–~]*|about \d+|image|video|(?:\w+ \w+\. [\d.]+(?:, |$))+"
)  # figures, and a paper's words


def _titles(one: Benchmark) -> Iterator[str]:
    """Titles of levels, facets, their values, columns, question types and prompts, and what these are in the paper."""
    values = (value for facet in one.facets if facet.name not in NAMED for value in facet.values)
    yield from map(in_english, (*one.levels, *one.facets, *values, *one.strategies, *one.kinds))
    yield from (plural(in_english(one.facet(name)).lower()) for level in one.levels for name in level.groups)
    yield from (value.part_of for facet in one.facets for value in facet.values)
    yield from (strategy.paper for strategy in one.strategies if strategy.paper in NO_TERMS)
    yield from (wording.name for strategy in one.strategies for wording in strategy.wordings)


def _sentences(one: Benchmark) -> Iterator[str]:
    """What templates translate, which write % twice: what the benchmark is about, its tables and known issues."""
    yield from (one.about, *(level.about for level in one.levels), *one.scoring, one.sheets_about)
    yield from (text for defect in one.defects for text in (defect.paper, defect.release, defect.here) if text != "–")
    yield from (text for table in one.tables for text in (table.source, table.title, *table.notes))
    yield "" if one.licence == "MIT" else one.licence


def _notes(one: Benchmark) -> Iterator[str]:
    """Notes and words in place of figures, which modules translate."""
    yield from (value.caution for facet in one.facets for value in facet.values)
    yield from (concept for facet in one.facets for value in facet.values for concept in value.concepts)
    yield from (level.printed for level in one.levels)
    rows = [row for table in one.tables for row in table.rows]
    yield from (text for row in rows for text in (row.note, *row.marks.values(), *row.cells))
    yield from (text for row in one.published for text in (row.source, row.note))
    yield from (text for row in one.published for cell in row.cells for text in (cell.note, cell.text))


def texts_of_definitions() -> dict[str, str]:
    """Every text of a definition that pages show, and where it is from; figures and names are none."""
    named = [(text, one.slug) for one in BENCHMARKS.values() for text in (one.question, *_titles(one))]
    named += [(text.replace("%", "%%"), one.slug) for one in BENCHMARKS.values() for text in _sentences(one)]
    noted = [(text, one.slug) for one in BENCHMARKS.values() for text in _notes(one) if not PRINTED.fullmatch(text)]
    told = [(text, one.slug) for one in CONCEPTS.values() for text in (one.title, one.about, *one.development)]
    return {text: slug for text, slug in (*named, *noted, *told) if text and text not in NAMES | DATA_SETS}


def texts_of_cards() -> dict[str, str]:
    """What this site writes on its own models' cards, and the names of a card's fields."""
    texts = (*map(catalogued, (*SENTENCES, *PHRASES)), *FIELDS, *LISTED)
    return dict.fromkeys(texts, "card_texts.py") | dict.fromkeys(SETTINGS, "recipes.py")


def texts_of_constants() -> dict[str, str]:
    """Names that other modules hold and pages translate: of a referee's dimensions, tests and origins of packs."""
    labels = dict.fromkeys((one.label for rubric in RUBRICS.values() for one in rubric.dimensions), "rubrics.py")
    tests = dict.fromkeys((MCNEMAR, SIGN_FLIP, SCORE), "paired_differences.py")
    return labels | tests | dict.fromkeys((str(one.label) for one in Origin), "packs.py")


def texts_of_scenes() -> dict[str, str]:
    """How CRAFT's answers are explained, and what breaks physics in GRASP's clips, as their audit says it."""
    found = dict.fromkeys(EXPLAINED, "explaining.py")
    for path in (ROOT / "scenes" / "audit").glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            said: list[ast.expr] = []
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "Verdict":
                said = node.args[2:3]
            elif isinstance(node, ast.Return) and isinstance(node.value, ast.Tuple):
                said = node.value.elts[:1]  # of the two that may happen
            found |= {
                one.value: path.name for one in said if isinstance(one, ast.Constant) and isinstance(one.value, str)
            }
    return found


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize(
    "texts_of", [texts_of_templates, texts_of_modules, texts_of_definitions, texts_of_cards, texts_of_scenes]
)
def test_every_text_of_public_pages_is_translated(language, texts_of):
    known = {key if isinstance(key, str) else key[0] for key in entries(language)}
    texts = texts_of()
    assert len(texts) > 40
    assert {text: place for text, place in texts.items() if text not in known} == {}


MACHINES = (  # what programs read
    *(f"/leaderboard/craft/?format={name}" for name in ("csv", "md", "latex", "json")),
    *(f"/leaderboard/{slug}/?format=json" for slug in ("grasp", "pacs", "giraffe")),
    *(f"/leaderboard/pacs/tables/pacs-table-1/?format={name}" for name in ("csv", "latex", "json")),
    "/leaderboard/giraffe/tables/giraffe-table-9/?format=csv",
    "/leaderboard/grasp/tables/grasp-table-3/?format=csv",
    "/leaderboard/craft/charts/profile/?format=csv",
    "/models/audioclip/picture/?format=csv",
    "/api/v1/benchmarks/grasp/",
    "/api/v1/boards/pacs/",
)
PAGES = (
    "/",
    "/leaderboard/",
    "/leaderboard/craft/",
    "/leaderboard/grasp/charts/profile/",
    *(f"/leaderboard/grasp/{name}/" for name in answer_kinds.PAGES),
    "/concepts/",
    "/concepts/gravity/",
    "/explore/",
    "/models/",
    "/compare/",
    "/benchmarks/",
    "/benchmarks/grasp/",
    "/benchmarks/grasp/items/",
    "/docs/",
    "/trials/",
)


@pytest.mark.django_db
def test_a_public_page_follows_the_browsers_language_and_a_choice(visitor):
    for address in PAGES:
        for language, direction in (("de", "ltr"), ("ar", "rtl"), ("en", "ltr")):
            answer = visitor.get(address, headers={"accept-language": f"{language},en;q=0.5"})
            assert f'<html lang="{language}" dir="{direction}">' in answer.content.decode(), address
            assert answer["Content-Language"] == language
            assert "Accept-Language" in answer["Vary"]
    assert visitor.get("/language/de/", headers={"referer": "http://testserver/explore/"})["Location"].endswith(
        "/explore/"
    )
    assert 'lang="de"' in visitor.get("/").content.decode().partition(">")[2][:60]
    assert visitor.get("/language/ar/", headers={"referer": "https://elsewhere.example/"})["Location"] == "/"
    assert visitor.get("/language/tlh/").status_code == 404


@pytest.mark.django_db
def test_long_texts_and_files_stay_english(visitor):
    german = {"accept-language": "de"}
    for address in ("/about/statistics/", "/snapshots/", "/api/v1/docs/"):
        page = visitor.get(address, headers=german).content.decode()
        assert '<html lang="en"' in page, address
        assert "Bestenlisten" not in page
    for address in MACHINES:
        visitor.get("/", headers=german)  # whose language its thread keeps
        files = [client.get(address, headers=wanted) for client, wanted in ((visitor, german), (Client(), {}))]
        assert [file.status_code for file in files] == [200, 200], address
        first, second = (
            re.sub(rb'"?[Mm]ade"?: \S+', b"", file.content) for file in files
        )  # the second of its creation
        assert first == second, address
        assert b"Tabelle 1" not in first


@pytest.mark.django_db
def test_what_a_file_says_of_a_paper_stands_in_its_page_in_the_readers_language(visitor):
    make_pack(benchmark="craft")
    for language, one in product(LANGUAGES, BENCHMARKS.values()):
        told, page = entries(language), ""
        for address in (
            f"/benchmarks/{one.slug}/",
            *(f"/leaderboard/{one.slug}/?level={i.number}" for i in one.levels),
        ):
            page += unescape(visitor.get(address, headers={"accept-language": language}).content.decode())
        for text in {*_sentences(one), *_notes(one)}:
            own = told.get(text, told.get(text.replace("%", "%%"), text)).replace("%%", "%")
            assert len(text) < 20 or own == text or text not in page, (language, text)
        assert all(told[defect.here] in page for defect in one.defects[:1])


@pytest.mark.django_db
def test_a_figure_that_is_not_there_and_a_remark_are_told_in_every_language(visitor):
    pages = {
        language: unescape(visitor.get("/benchmarks/pacs/", headers={"accept-language": language}).content.decode())
        for language in ("en", *LANGUAGES)
    }
    assert "Late Fusion Test, PACS, printed 55.0 ± 1.1: from Table 1, taken to be the test split." in pages["en"]
    assert "Late Fusion Test, PACS, gedruckt 55.0 ± 1.1: aus Tabelle 1, als Aufteilung Test angenommen." in pages["de"]
    for language, said in (("en", "not recovered"), ("de", "nicht ermittelt"), ("ar", "تعذّر استخراجه")):
        assert re.search(rf'<td class="number">\s*{said}\s*</td>', pages[language])
    model = visitor.get("/models/audioclip/", headers={"accept-language": "de"}).content.decode()
    assert "* wie in einer späteren Arbeit wiederholt (arXiv 2502.12425)" in model


@pytest.mark.django_db
def test_a_board_keeps_no_language_of_an_earlier_reader(visitor):
    """Papers' rows and contact sheets are made once per process."""
    said = {"de": "Abbildung 3. Ein Balken ohne Zahl", "en": "Figure 3. A bar without", "ar": "الشكل 3. شريط بلا رقم"}
    for language in ("de", "en", "ar", "de"):
        page = visitor.get("/leaderboard/grasp/?level=2", headers={"accept-language": language}).content.decode()
        assert said[language] in page, language
        sheets = visitor.get("/benchmarks/craft/", headers={"accept-language": language}).content.decode()
        assert {"de": "Szene 7", "en": "Scene 7", "ar": "المشهد 7"}[language] in sheets


@pytest.mark.django_db
def test_figures_and_drawings_have_points_in_every_language(visitor):
    pages = {
        language: visitor.get("/", headers={"accept-language": language}).content.decode() for language in ("en", "de")
    }
    numbers = [re.findall(r'(?:x|x1|cx|width)="([^"]+)"', page) for page in pages.values()]
    assert numbers[0] == numbers[1]
    assert not re.search(r'="\d+,\d', pages["de"])


@pytest.mark.django_db
def test_what_a_paper_gives_as_about_a_figure_says_so_in_every_language(visitor):
    for language, said in (("ar", "نحو 80"), ("de", "etwa 80"), ("en", "about 80")):
        assert said in visitor.get("/", headers={"accept-language": language}).content.decode()
