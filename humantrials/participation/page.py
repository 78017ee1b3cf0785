"""A participant's page: its template and context."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class ParticipantPage:
    """The page to show next."""

    template: str
    context: Mapping[str, Any] = field(default_factory=dict)
