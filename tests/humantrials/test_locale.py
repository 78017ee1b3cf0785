"""Catalogues of participants' texts are complete, and compiled from the files beside them."""

import ast
import gettext
import re
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent.parent
LOCALE, TEMPLATES, MODULES = ROOT / "locale", ROOT / "templates" / "humantrials", ROOT / "humantrials"
ROAD_PAGES = (
    "consent.html",
    "done.html",
    "entry.html",
    "instructions.html",
    "practised.html",
    "participation.html",
    "stopped.html",
    "leave.html",
    "withdraw.html",
    "card.html",
    "headphones.html",
    "sound.html",
    "quiz.html",
    "questionnaire.html",
    "repair.html",
    "break.html",
    "follow_up.html",
    "trial.html",
    "moment.html",
    "number.html",
    "stills.html",
    "pick.html",
    *(
        f"annotation/{name}.html"
        for name in (
            "base",
            "form_end",
            "clip",
            "pair",
            "object",
            "box_fields",
            "material_fields",
            "question_fields",
            "lines",
            "questions",
            "answers",
            "checks",
            "round",
            "waiting",
            "failed_attempt",
            "not_let_in",
            "code_so_far",
            "returned",
        )
    ),
)
ROAD_PARTS = (
    "clip.html",
    "follow_up.html",
    "languages.html",
    "outbox.html",
    "picture_troubles.html",
    "problem.html",
    "progress.html",
    "repair.html",
    "so_far.html",
    "terms.html",
    "way_back.html",
)
LANGUAGES = ("de", "ar")
MSGFMT = shutil.which("msgfmt")


def entries(language: str) -> dict[str, str]:
    with (LOCALE / language / "LC_MESSAGES" / "django.mo").open("rb") as file:
        return gettext.GNUTranslations(file)._catalog  # type: ignore[attr-defined]


def test_every_language_has_the_same_texts():
    names = [{key if isinstance(key, str) else key[0] for key in entries(language)} for language in LANGUAGES]
    assert names[0] == names[1]
    assert len(names[0]) > 90


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


def texts_of_participants() -> set[str]:
    """All texts marked for translation in participants' pages and modules."""
    templates = [*(TEMPLATES / name for name in ROAD_PAGES), *(TEMPLATES / "parts" / name for name in ROAD_PARTS)]
    tagged = re.compile(r"{% translate (['\"])(.*?)\1")
    found = {text for path in templates for _, text in tagged.findall(path.read_text())}
    for module in (
        *MODULES.glob("participation/**/*.py"),
        *MODULES.glob("protocols/*.py"),
        *MODULES.glob("annotation/*.py"),
    ):
        calls = (node for node in ast.walk(ast.parse(module.read_text())) if isinstance(node, ast.Call))
        marked = (call for call in calls if isinstance(call.func, ast.Name) and call.func.id in ("_", "gettext_noop"))
        found |= {call.args[0].value for call in marked if isinstance(call.args[0], ast.Constant)}
    return found


@pytest.mark.parametrize("language", LANGUAGES)
def test_everything_that_participants_read_is_translated(language):
    assert texts_of_participants() - set(entries(language)) == set()
