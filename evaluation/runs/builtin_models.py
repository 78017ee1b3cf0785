"""The models that every installation has."""

from evaluation.models import Model

HEURISTICS = {
    "always-yes": ("Always yes", "Says yes to every question, without looking."),
    "always-no": ("Always no", "Says no to every question, without looking."),
    "random": ("Random", "Draws one of the possible answers of each question, without looking."),
}


def ensure_heuristics() -> list[Model]:
    """Return the heuristics as models and create missing ones; safe to call again."""
    return [
        Model.objects.get_or_create(
            slug=slug,
            defaults={"name": name, "kind": slug, "revision": "1", "card": {"what": what, "family": "heuristic"}},
        )[0]
        for slug, (name, what) in HEURISTICS.items()
    ]
