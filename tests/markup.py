"""Normalises pages for comparisons, independent of line breaks in templates."""

import csv
import io
import re

from django.http import HttpResponse


def compact(html: str) -> str:
    """Markup with single spaces, and none beside a tag or at the end of an attribute."""
    return re.sub(r"\s*(</?[a-zA-Z][^>]*>)\s*", r"\1", re.sub(r' (?=/?>|"[ />])', "", " ".join(html.split())))


def table(text: str) -> list[dict[str, str]]:
    """The rows of a CSV file."""
    return list(csv.DictReader(io.StringIO(text)))


def words(page: HttpResponse) -> str:
    """The page with single spaces."""
    return " ".join(page.content.decode().split())


def text_of(page: HttpResponse) -> str:
    """The words of the page without markup, with single spaces."""
    return " ".join(re.sub(r"<[^>]+>", " ", page.content.decode()).split())
