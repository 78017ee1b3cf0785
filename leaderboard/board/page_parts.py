"""What extensions add to the pages of boards and models: each registers its parts once, in `AppConfig.ready`."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from evaluation.models import Model


@dataclass(frozen=True)
class PageParts:
    """The parts of one extension, as HTML."""

    in_progress: Callable[[], Mapping[str, Iterable[str]]]  # benchmark -> a notice for each piece of work that goes on
    version: Callable[[], str]  # changes when such work begins or ends; asked for with every page
    of_model: Callable[[Model], str]  # a section of the model's page, or ""
    of_models: Callable[[], str]  # a line above the list of models


REGISTERED: list[PageParts] = []


def register(parts: PageParts) -> None:
    """Add the parts of an extension."""
    REGISTERED.append(parts)
