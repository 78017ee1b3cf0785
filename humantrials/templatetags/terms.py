"""`{% terms_on "sheets" %}`: the terms that a page uses, with their meanings from docs/glossary.md."""

from functools import cache

from django import template
from django.conf import settings

register = template.Library()

# By the desk's name of the page (`here`).
TERMS = {
    "results": ("sheet", "judgment", "majority vote", "surplus", "pack", "protocol"),
    "manage": ("sheet", "slot", "pilot", "seal", "simulated people"),
    "plan": ("sheet", "slot", "pilot", "second round"),
    "watch": ("sheet", "lease", "surplus", "judgment", "attention item"),
    "sheets": ("sheet", "slot", "epoch", "lease", "surplus"),
    "people": ("participant", "judgment", "surplus", "attention item"),
    "pay": ("sheet", "surplus"),
    "export": ("judgment", "participant", "protocol", "attention item"),
}


@cache
def glossary() -> dict[str, str]:
    """Word -> meaning; empty where the site was installed without its documents."""
    path = settings.BASE_DIR / "docs" / "glossary.md"
    if not path.is_file():
        return {}
    rows = (line.strip("| \n").split(" | ") for line in path.read_text(encoding="utf-8").splitlines())
    return {row[0]: row[1] for row in rows if len(row) == 2}


@register.inclusion_tag("humantrials/parts/terms.html")
def terms_on(page: str) -> dict[str, list[tuple[str, str]]]:
    """The page's terms; none where it is not named above."""
    return {"terms": [(term, glossary()[term]) for term in TERMS.get(page, ()) if term in glossary()]}
