"""Catalogues of participants' texts: complete, and compiled from what is beside them."""

import gettext
import shutil
import subprocess
from pathlib import Path

import pytest

LOCALE = Path(__file__).resolve().parent.parent.parent / "locale"
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
