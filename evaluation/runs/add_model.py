"""Adds models to the site; kind and options are checked before anything is written."""

import inspect
import json
import re
from collections.abc import Iterable, Mapping
from typing import Any

from django.db import transaction
from django.utils.module_loading import import_string

from evaluation.adapters.registry import ADAPTERS
from evaluation.errors import ModelMisused, RunMisused
from evaluation.models import Model, ModelResponse, role_of_kind

SLUG = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
HEURISTICS = {
    "always-yes": ("Always yes", "Says yes to every question, without looking."),
    "always-no": ("Always no", "Says no to every question, without looking."),
    "random": ("Random", "Draws one of the possible answers of each question, without looking."),
}
LOOKS_LIKE_A_KEY = re.compile(r"^(sk|pk|hf|xai|gsk|AIza)[-_A-Za-z0-9]{16,}$")


@transaction.atomic
def add_model(
    *,
    slug: str,
    kind: str,
    options: Mapping[str, Any],
    name: str = "",
    revision: str = "",
    card: Mapping[str, Any] | None = None,
) -> tuple[Model, bool]:
    """Return the model and whether it is new or changed; repeating a call changes nothing. Raises RunMisused.

    A model that has replied keeps its options under its revision, because its rows depend on them: other options need
    another revision or another slug. The options of a model that never replied, for example because of a wrong address,
    can be corrected.
    """
    check_slug(slug)
    check_options(kind, options)
    fields: dict[str, Any] = {"name": name or slug, "kind": kind, "options": dict(options), "revision": revision}
    fields |= {"role": role_of_kind(kind)}
    fields |= {"card": dict(card)} if card else {}
    found = Model.objects.select_for_update().filter(slug=slug).first()
    if found is None:
        return Model.objects.create(slug=slug, **fields), True
    if all(getattr(found, field) == value for field, value in fields.items()):
        return found, False
    if found.kind != kind or found.made_here:
        raise RunMisused(f"there is a model {slug} of kind {found.kind} already: choose another slug")
    replies = ModelResponse.objects.filter(cell__run__model=found, cell__run__revision=revision)
    if found.options != fields["options"] and replies.exists():
        raise RunMisused(f"{slug} has replied with other options under this revision: give another --revision or slug")
    for field, value in fields.items():
        setattr(found, field, value)
    found.save()
    return found, True


def check_slug(slug: str) -> str:
    """Return the slug if it is valid in URLs and commands, else raise RunMisused."""
    if not SLUG.fullmatch(slug) or len(slug) > 60:
        raise RunMisused(f"slug {slug!r}: small letters, digits and single hyphens, 60 at most")
    return slug


def check_options(kind: str, options: Mapping[str, Any]) -> None:
    """Raise RunMisused for an invalid kind, option or value; loads no weights and starts nothing."""
    if kind not in ADAPTERS:
        raise RunMisused(f"there is no kind {kind!r}; there is: {', '.join(ADAPTERS)}")
    for option, value in options.items():
        if isinstance(value, str) and LOOKS_LIKE_A_KEY.match(value):
            raise RunMisused(
                f"option {option} looks like a key: options are stored and shown; name a variable by key_variable"
            )
    adapter = import_string(ADAPTERS[kind])
    try:
        if check := getattr(adapter, "check_options", None):
            check(options)
            return
        inspect.signature(adapter).bind(**options)
    except (ModelMisused, TypeError) as error:
        raise RunMisused(f"{kind}: {error}") from error


def options_named(pairs: Iterable[str]) -> dict[str, Any]:
    """Parse "base_url=http://…" and "concurrency=4": values are JSON if they parse as JSON, else text."""
    options: dict[str, Any] = {}
    for pair in pairs:
        name, found, text = pair.partition("=")
        if not found or not name.isidentifier():
            raise RunMisused(f"--option {pair!r}: write NAME=VALUE, for example model=qwen3-vl")
        if name in options:
            raise RunMisused(f"--option {name} is given twice")
        options[name] = _value(text)
    return options


def _value(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text


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
