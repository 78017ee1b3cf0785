"""What a page of the road is: its template, and what the template is told."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Page:
    """What is shown next."""

    template: str
    context: Mapping[str, Any] = field(default_factory=dict)
