"""Extensions that the settings install, and what the site takes from each besides what it registers itself."""

from collections.abc import Iterator
from importlib import import_module
from types import ModuleType

from django.conf import settings
from django.utils.module_loading import module_has_submodule

FOLDER = "extensions."


def names() -> list[str]:
    """The dotted paths of the installed extensions."""
    return [app for app in settings.INSTALLED_APPS if app.startswith(FOLDER)]


def modules(name: str) -> Iterator[ModuleType]:
    """Each extension's own module of this name, such as its `urls`."""
    for app in names():
        if module_has_submodule(import_module(app), name):
            yield import_module(f"{app}.{name}")
