"""The table of models."""

from django.conf import settings
from django.db import models
from django.urls import reverse


class ModelRole(models.TextChoices):
    """What an answerer is on boards: only a `model` may lead, everything else is a baseline."""

    MODEL = "model"
    GUESSER = "guesser"  # answers without looking at clip or question
    COUNTER = "counter"  # says the most frequent answer of each kind of question
    CONTROL = "control"  # made to check a measure
    TRAINED = "trained-on-scenes"  # learnt from clips of the scenes that it is asked about


KIND_ROLES = {
    "always-yes": ModelRole.GUESSER,
    "always-no": ModelRole.GUESSER,
    "random": ModelRole.GUESSER,
    "frequencies": ModelRole.COUNTER,
}  # kind of adapter -> role; other kinds open models


UPLOADED = "uploaded"  # the kind of models whose answers are made elsewhere


def role_of_kind(kind: str) -> ModelRole:
    """The role of a model that this kind of adapter opens."""
    return KIND_ROLES.get(kind, ModelRole.MODEL)


class Model(models.Model):
    """A model: its adapter kind, the options that open it, and its card."""

    slug = models.SlugField(max_length=60, unique=True)
    name = models.CharField(max_length=120)
    kind = models.CharField(max_length=20)  # adapters/registry.py; "uploaded" for answers produced elsewhere
    options = models.JSONField(default=dict, blank=True)  # how the adapter opens it, e.g. {"path": …}
    revision = models.CharField(max_length=64, blank=True)
    card = models.JSONField(default=dict, blank=True)  # organisation, link, parameters, trained_on, what …
    role = models.CharField(max_length=20, choices=ModelRole.choices, default=ModelRole.MODEL)
    made_here = models.BooleanField(default=False)  # trained by this site, which pages say
    owner = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["name"]

    def __str__(self) -> str:
        return self.name

    def get_absolute_url(self) -> str:
        return reverse("model", args=[self.slug])

    @property
    def is_uploaded(self) -> bool:
        """Whether its answers were made elsewhere."""
        return self.kind == UPLOADED

    @property
    def description(self) -> str:
        """What the model is, as its card says; '' if it does not say."""
        return str(self.card.get("what") or "")

    @property
    def paper(self) -> str:
        """The paper named on the card: its BibTeX entry, else its reference, else ''."""
        return str(self.card.get("citation") or self.card.get("paper") or "")


def openness(weights: str) -> str:
    """What a card's text about the weights comes to: open, closed or unknown."""
    return "open" if weights.casefold().startswith("open") else "closed" if weights else "unknown"
