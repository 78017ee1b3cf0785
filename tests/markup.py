"""Normalises pages for comparisons, independent of line breaks in templates."""

import re


def compact(html: str) -> str:
    """Markup with single spaces, and none beside a tag or at the end of an attribute."""
    return re.sub(r"\s*(</?[a-zA-Z][^>]*>)\s*", r"\1", re.sub(r' (?=/?>|"[ />])', "", " ".join(html.split())))
