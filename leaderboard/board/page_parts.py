"""What extensions add to the pages of boards and models: each registers its parts once, in `AppConfig.ready`."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from evaluation.models import Model


@dataclass(frozen=True)
class PageParts:
    """The parts of one extension, as HTML; what it has none of stays empty."""

    in_progress: Callable[[], Mapping[str, Iterable[str]]] = dict  # benchmark -> a notice for each work that goes on
    version: Callable[[], str] = str  # changes when such work begins or ends; asked for with every page
    tab_of_boards: Callable[[], tuple[str, str, str] | None] = lambda: None  # name, address and words of its own list
    of_model: Callable[[Model], str] = lambda model: ""  # a section of the model's page
    of_models: Callable[[], str] = str  # a line above the list of models


REGISTERED: list[PageParts] = []


def register(parts: PageParts) -> None:
    """Add the parts of an extension."""
    REGISTERED.append(parts)
