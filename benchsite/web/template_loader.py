"""Templates without their line breaks: a page with many rows would carry each a thousand times."""

import re

from django.template import Origin
from django.template.loaders.filesystem import Loader

AS_WRITTEN = re.compile(r"(<(?:pre|textarea)\b.*?</(?:pre|textarea)>)", re.DOTALL)
INDENTATION = re.compile(r"\n[ \t]+")
# An opening tag of HTML; what Django's tags and quotes hold may contain its end.
DJANGO = r"{%.*?%}|{{.*?}}"
TAG = re.compile(rf"""<[a-zA-Z](?:{DJANGO}|"(?:{DJANGO}|[^"])*"|'(?:{DJANGO}|[^'])*'|[^>"'])*>""", re.DOTALL)
# Before a condition that brings its own space no other is wanted, and none before the end.
NEEDLESS = re.compile(r"\s*\n\s*(?=(?:{%[^%]*%})+\s|/?>)")
BREAK = re.compile(r"\s*\n\s*")


class FlushLoader(Loader):
    """The project's own templates: each opening tag on one line, each line of HTML from its first letter on."""

    def get_contents(self, origin: Origin) -> str:
        contents: str = super().get_contents(origin)
        return flush(contents) if origin.name.endswith(".html") else contents


def flush(html: str) -> str:
    """The same page: line breaks within tags and white space before lines go, but in what is shown as it is written."""
    parts = AS_WRITTEN.split(html)
    return "".join(part if place % 2 else _flushed(part) for place, part in enumerate(parts))


def _flushed(html: str) -> str:
    return INDENTATION.sub("\n", TAG.sub(lambda tag: BREAK.sub(" ", NEEDLESS.sub("", tag[0])), html))
