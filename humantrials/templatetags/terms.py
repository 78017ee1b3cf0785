"""`{% terms_on "sheets" %}`: the terms that a page uses, with their meanings from docs/glossary.md.

`{% words_on "consent" %}` has those of participants' pages, in their language.
"""

import re
from functools import cache

from django import template
from django.conf import settings
from django.utils.translation import gettext_lazy as _

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

PANEL = (_("panel"), _("the service that invited you and pays you, such as Prolific, if one did"))
RANDOM_CODE = (_("random code"), _("letters and digits drawn by lot; your answers are stored under it, not your name"))
RECEIPT = (
    _("receipt code"),
    _("yours alone: with it you can have your answers deleted; you get it when you agree, and again at the end"),
)
COMPLETION = (_("completion code"), _("it tells the panel or the researchers that you took part; it deletes nothing"))
SCRAMBLED = (
    _("scrambled form"),
    _("a number computed from it with a secret key: two can be compared, but nobody can compute your address back"),
)
# By the participant's page.
WORDS = {
    "consent": (PANEL, SCRAMBLED, RANDOM_CODE, RECEIPT),
    "leave": (RANDOM_CODE, RECEIPT, COMPLETION),
    "done": (COMPLETION, RECEIPT),
}


@cache
def glossary() -> dict[str, str]:
    """Word -> meaning; empty where the site was installed without its documents."""
    path = settings.FILES_DIR / "docs" / "glossary.md"
    if not path.is_file():
        return {}
    return dict(re.findall(r"^\* \*\*(.+?)\*\*: (.+)$", path.read_text(encoding="utf-8"), re.MULTILINE))


@register.inclusion_tag("humantrials/parts/terms.html")
def terms_on(page: str) -> dict[str, list[tuple[str, str]]]:
    """The page's terms; none if it is not named above."""
    return {"terms": [(term, glossary()[term]) for term in TERMS.get(page, ()) if term in glossary()]}


@register.inclusion_tag("humantrials/parts/terms.html")
def words_on(page: str) -> dict[str, object]:
    """The terms of a participant's page, without a link that leads away from the study."""
    return {"terms": WORDS[page], "stays": True}
