"""The models of every installation."""

from evaluation.models import Model, role_of_kind

HEURISTICS = {
    "always-yes": ("Always yes", "Says yes to every question, without looking."),
    "always-no": ("Always no", "Says no to every question, without looking."),
    "random": ("Random", "Draws one of the possible answers of each question, without looking."),
}


def ensure_heuristics() -> list[Model]:
    """Return the heuristics as models and create missing ones; idempotent."""
    return [
        Model.objects.get_or_create(
            slug=slug,
            defaults={
                "name": name,
                "kind": slug,
                "role": role_of_kind(slug),
                "revision": "1",
                "card": {"what": what, "family": "heuristic"},
            },
        )[0]
        for slug, (name, what) in HEURISTICS.items()
    ]
