"""The models of every installation, and which models are baselines on boards."""

from evaluation.models import Model

HEURISTICS = {
    "always-yes": ("Always yes", "Says yes to every question, without looking."),
    "always-no": ("Always no", "Says no to every question, without looking."),
    "random": ("Random", "Draws one of the possible answers of each question, without looking."),
}
GUESSING = frozenset((*HEURISTICS, "frequencies"))
# On the card of a network that was prepared for a benchmark's questions by that benchmark's own clips.
KNOWS_THE_SCENES = {"comparable": "no: it was trained on clips of the scenes that it is asked about"}


def is_baseline(model: Model) -> bool:
    """Whether boards never call it the best model: it guesses, counts answers, or was trained on the same scenes."""
    return model.kind in GUESSING or KNOWS_THE_SCENES.items() <= model.card.items()


def ensure_heuristics() -> list[Model]:
    """Return the heuristics as models and create missing ones; idempotent."""
    return [
        Model.objects.get_or_create(
            slug=slug,
            defaults={"name": name, "kind": slug, "revision": "1", "card": {"what": what, "family": "heuristic"}},
        )[0]
        for slug, (name, what) in HEURISTICS.items()
    ]
