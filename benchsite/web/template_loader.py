"""Loads templates without their line breaks, which a page with many rows would contain a thousand times."""

import re

from django.template import Origin
from django.template.loaders.filesystem import Loader

AS_WRITTEN = re.compile(r"(<(?:pre|textarea)\b.*?</(?:pre|textarea)>)", re.DOTALL)
INDENTATION = re.compile(r"\n[ \t]+")
# An opening tag of HTML; Django's tags and quoted texts inside may contain its end character.
DJANGO = r"{%.*?%}|{{.*?}}"
TAG = re.compile(rf"""<[a-zA-Z](?:{DJANGO}|"(?:{DJANGO}|[^"])*"|'(?:{DJANGO}|[^'])*'|[^>"'])*>""", re.DOTALL)
# A condition that has its own space, and the tag's end, need no other space before them.
NEEDLESS = re.compile(r"\s*\n\s*(?=(?:{%[^%]*%})+\s|/?>)")
BREAK = re.compile(r"\s*\n\s*")


class FlushLoader(Loader):
    """The project's own templates, with each opening tag on one line and each line of HTML without its indentation."""

    def get_contents(self, origin: Origin) -> str:
        contents: str = super().get_contents(origin)
        return flush(contents) if origin.name.endswith(".html") else contents


def flush(html: str) -> str:
    """The template without line breaks inside tags and white space before lines, except in preformatted text."""
    parts = AS_WRITTEN.split(html)
    return "".join(part if place % 2 else _flushed(part) for place, part in enumerate(parts))


def _flushed(html: str) -> str:
    return INDENTATION.sub("\n", TAG.sub(lambda tag: BREAK.sub(" ", NEEDLESS.sub("", tag[0])), html))
