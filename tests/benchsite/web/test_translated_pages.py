"""Public pages in German and Arabic: every text is translated, and each page is in one language."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.test import Client
from django.utils.translation.template import templatize

from benchmarks.definitions.concepts import CONCEPTS
from benchmarks.definitions.definition import Benchmark
from benchmarks.definitions.registry import BENCHMARKS
from benchmarks.definitions.titles import plural
from leaderboard.views import answer_kinds
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
    "leaderboard/parts/verdicts",
    "benchmarks/material",
    "benchmarks/parts/material",
)
FOLDERS = ("leaderboard", "benchmarks", "docs", "parts")
MODULES = (
    "leaderboard/board",
    "leaderboard/items",
    "leaderboard/charts",
    "leaderboard/comparison",
    "leaderboard/views",
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
    for path in (*modules, ROOT / "leaderboard" / "labels.py", ROOT / "leaderboard" / "exports" / "table.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
                is_marked = node.func.id in ("_", "_lazy", "gettext", "gettext_lazy", "gettext_noop", "ngettext")
                if is_marked and isinstance(node.args[0], ast.Constant):
                    found[str(node.args[0].value)] = path.name
    return found


NAMES = {"PACS", "PACS-material", "Tapped", "Tapped-material"}  # as are data sets and templates of CRAFT
DATA_SETS = {"ActivityNet Captions", "Charades", "CLEVRER", "RoboSet (Teleoperation)"}
NAMED = ("scene", "template", "material-pair")  # facets whose values are numbers, names or two values of another facet


def _titles(one: Benchmark) -> Iterator[str]:
    """Titles of facets, their values, columns, question types and prompts."""
    yield from (facet.title for facet in one.facets)
    yield from (value.title for facet in one.facets if facet.name not in NAMED for value in facet.values)
    yield from (strategy.title for strategy in one.strategies)
    yield from (plural(one.facet(name).title.lower()) for level in one.levels for name in level.groups)
    yield from (kind.title for kind in one.kinds)


def _sentences(one: Benchmark) -> Iterator[str]:
    """What the benchmark and its levels are about, and how replies are scored; templates write % twice."""
    yield from (one.about, *(level.about for level in one.levels), *one.scoring)


def texts_of_definitions() -> dict[str, str]:
    named = [(text, one.slug) for one in BENCHMARKS.values() for text in (one.question, *(i.title for i in one.levels))]
    named += [(text, one.slug) for one in BENCHMARKS.values() for text in _titles(one)]
    named += [(text.replace("%", "%%"), one.slug) for one in BENCHMARKS.values() for text in _sentences(one)]
    told = [(text, one.slug) for one in CONCEPTS.values() for text in (one.title, one.about, *one.development)]
    return {text: slug for text, slug in (*named, *told) if text not in NAMES | DATA_SETS}


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("texts_of", [texts_of_templates, texts_of_modules, texts_of_definitions])
def test_every_text_of_public_pages_is_translated(language, texts_of):
    known = {key if isinstance(key, str) else key[0] for key in entries(language)}
    texts = texts_of()
    assert len(texts) > 40
    assert {text: place for text, place in texts.items() if text not in known} == {}


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
    for address in ("/leaderboard/craft/?format=csv", "/leaderboard/craft/?format=md"):
        files = [client.get(address, headers=wanted).content for client, wanted in ((visitor, german), (Client(), {}))]
        first, second = (re.sub(rb"Made: \S+", b"", file) for file in files)  # the second of its creation
        assert first == second


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
