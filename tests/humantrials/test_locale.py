"""The catalogues hold what participants can read and nothing else, and are compiled from the files beside them."""

import ast
import gettext
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.conf import settings
from django.utils.translation.template import templatize

from tests.programs import ROOT, TEMPLATES

LOCALE = ROOT / "locale"
PAGES = {path.relative_to(folder).as_posix(): path for folder in TEMPLATES for path in folder.rglob("*.html")}
LANGUAGES = ("de", "ar")
MSGFMT = shutil.which("msgfmt")
# What answers below /t/ and /p/: the modules of participants' pages with all that they import, and pages of mistakes.
KINDS = [*ROOT.glob("extensions/*/kind.py")]  # of studies
OWN = [kind.with_name(name) for kind in KINDS for name in ("pages", "protocol")]
RATING = (ROOT / "extensions/generated/rating", ROOT / "extensions/generated/templatetags")
OF_PAGES = (ROOT / "humantrials/participation", ROOT / "humantrials/templatetags", *RATING, *OWN)
ROAD = [path for folder in OF_PAGES for path in folder.rglob("*.py")]
MISTAKES = ("400.html", "404.html")
APPS = ("accounts", "benchmarks", "benchsite", "evaluation", "extensions", "humantrials", "leaderboard")
NAMED = re.compile(r"""["']([\w/-]+\.html)["']""")
JOINED = re.compile(r"{%\s*(?:include|extends)\s[^%]*%}")
STRING = r"('(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\")"
MARKED_TEXT = re.compile(rf"\b(?:n?gettext|_)\(\s*u?{STRING}")
MARK = re.compile(r"{%\s*(?:translate|blocktranslate(?! trimmed))\b")
MARKS = ("_", "gettext", "gettext_lazy", "gettext_noop", "ngettext")


def entries(language: str) -> dict[str, str]:
    with (LOCALE / language / "LC_MESSAGES" / "django.mo").open("rb") as file:
        return gettext.GNUTranslations(file)._catalog  # type: ignore[attr-defined]


def known(language: str) -> set[str]:
    """The texts of a catalogue, each of plural ones by its singular, without the head."""
    return {key if isinstance(key, str) else key[0] for key in entries(language)} - {""}


def file_of(module: str) -> Path | None:
    path = ROOT.joinpath(*module.split("."))
    return next((one for one in (path.with_suffix(".py"), path / "__init__.py") if one.is_file()), None)


def imported(path: Path) -> Iterator[Path]:
    """The site's own modules that this one imports."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith(APPS):
            names = (node.module, *(f"{node.module}.{one.name}" for one in node.names))
            yield from (found for name in names if (found := file_of(name)))


def modules_of_participants() -> set[Path]:
    found, waiting = set[Path](), [*ROAD]
    while waiting:
        if (path := waiting.pop()) not in found:
            found.add(path)
            waiting += imported(path)
    return found | {*KINDS}


def templates_of_participants() -> set[str]:
    """The templates that modules of people's pages name, with all that these include and extend."""
    modules = [*ROAD, *(ROOT / "humantrials/protocols").rglob("*.py"), *KINDS]
    waiting = [*MISTAKES, *(name for path in modules for name in NAMED.findall(path.read_text()))]
    found = set[str]()
    while waiting:
        if (name := waiting.pop()) not in found:
            found.add(name)
            waiting += NAMED.findall(" ".join(JOINED.findall(PAGES[name].read_text())))
    return found


def marked_in_template(name: str) -> set[str]:
    text = templatize(PAGES[name].read_text(), origin=name)
    return {ast.literal_eval(one) for one in MARKED_TEXT.findall(text)}


def marked_in_module(path: Path) -> set[str]:
    calls = (node for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.Call))
    marked = (call for call in calls if isinstance(call.func, ast.Name) and call.func.id in MARKS)
    return {str(call.args[0].value) for call in marked if isinstance(call.args[0], ast.Constant)}


def texts_of_participants() -> dict[str, str]:
    """Every text marked for translation that participants can read, and where it is."""
    found = {text: name for name in templates_of_participants() for text in marked_in_template(name)}
    modules = {path.relative_to(ROOT).as_posix(): marked_in_module(path) for path in modules_of_participants()}
    return found | {text: name for name, texts in modules.items() for text in texts}


def test_people_reach_their_templates_and_modules_and_no_board():
    templates, modules = templates_of_participants(), modules_of_participants()
    assert {"base.html", "humantrials/parts/terms.html", "annotation/round.html"} <= templates
    assert not [name for name in templates if name.startswith(("leaderboard/", "evaluation/", "submissions/"))]
    assert ROOT / "extensions" / "annotation" / "work" / "form_parsing.py" in modules
    assert ROOT / "humantrials" / "desk" / "text_views.py" not in modules


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_participants_can_read_is_translated_and_nothing_else(language):
    texts = texts_of_participants()
    assert {text: place for text, place in texts.items() if text not in known(language)} == {}
    assert known(language) - texts.keys() == set()


def test_pages_that_are_english_for_everybody_mark_no_texts():
    """But where a tag with `trimmed` joins a text of several lines."""
    pages = PAGES.keys() - templates_of_participants()
    assert [name for name in sorted(pages) if MARK.search(PAGES[name].read_text())] == []
    modules = {path for app in APPS for path in (ROOT / app).rglob("*.py")}
    assert [path for path in sorted(modules - modules_of_participants()) if marked_in_module(path)] == []


def test_the_languages_are_those_of_the_site():
    assert {code for code, _ in settings.LANGUAGES} == {"en", *LANGUAGES}


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_text_is_left_empty_or_breaks_an_attribute(language):
    for key, text in entries(language).items():
        assert text, key
        assert '"' not in text or key == ""


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.skipif(not MSGFMT, reason="gettext is not installed")
def test_the_compiled_catalogue_is_that_of_the_source(language, tmp_path):
    folder = LOCALE / language / "LC_MESSAGES"
    made = tmp_path / "django.mo"
    subprocess.run([MSGFMT, "--check-format", "-o", str(made), str(folder / "django.po")], check=True)
    with made.open("rb") as file:
        assert gettext.GNUTranslations(file)._catalog == entries(language)
