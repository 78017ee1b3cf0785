"""Registers a trained folder of weights as a model of the site."""

from pathlib import Path

from django.conf import settings


def movable(path: Path) -> str:
    """The path relative to the site's state if it lies inside, so that the state can be moved as a whole."""
    try:
        return str(path.resolve().relative_to(Path(settings.VAR_DIR).resolve()))
    except ValueError:
        return str(path.resolve())
