"""Kinds of study: what the code that all studies share leaves to each kind.

`slots` asks about items and is the core's own. An extension registers another with its protocols, which name the kind
in `Design.kind`, in its `AppConfig.ready`.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from django.utils.module_loading import import_string

from humantrials.models import Participant, Trial
from humantrials.protocols import PROTOCOLS, find_protocol
from humantrials.protocols.protocol import Protocol

if TYPE_CHECKING:
    from humantrials.assignment.sheets import SlotAnswers
    from humantrials.participation.stop_messages import Stop
    from humantrials.running.verification import VerificationReport
    from humantrials.simulation.participant import Person


Facts = Mapping[str, Any]
PATHS = {"slots": "humantrials.slots.SLOTS"}  # where each kind is; it is imported on its first use


@dataclass(frozen=True)
class DeskTab:
    """A page of the desk about one study; `url` takes the study's slug."""

    name: str
    title: str
    url: str


@dataclass(frozen=True)
class ExportFormat:
    """A format of `export_trial`: `write` takes trial, place and options, and returns the facts and a line on them."""

    about: str
    write: Callable[[Trial, Path, Facts], tuple[dict[str, Any], str]]
    flags: Mapping[str, str] = field(default_factory=dict)  # option -> its help


class StudyKind(ABC):
    """One kind of study; what has a default here is what a kind need not have."""

    answers: "SlotAnswers"  # on its sheets
    tabs: tuple[DeskTab, ...]
    formats: Mapping[str, ExportFormat]
    unused_settings: Collection[str]  # names without meaning in such a study
    parts: Mapping[str, str] = {}  # place on a page of the core -> the kind's own template there
    links: tuple[tuple[str, str], ...] = ()  # name of an address and its title, for authors on /trials/
    participant_urls = ""  # the module with addresses below a participant's token

    @abstractmethod
    def create(self, protocol: Protocol, trial: Trial) -> Trial:
        """Store the study with its sheets."""

    @abstractmethod
    def verify(self, trial: Trial) -> "VerificationReport":
        """Draw the design again and check every invariant."""

    @abstractmethod
    def next_page(self, person: Participant, *, alone: bool) -> "ParticipantPage | None":
        """What the person does next on the sheet; None when nothing is left."""

    @abstractmethod
    def simulated(self, protocol: Protocol) -> "type[Person]":
        """The class of simulated participants."""

    def attend(self, trial: Trial) -> None:  # noqa: B027  no work of staff
        """Do the work of staff in a simulation."""

    def waiting_page(self, person: Participant) -> "ParticipantPage | None":
        """What somebody sees who has to wait before the next sheet."""
        return None

    def left_page(self, person: Participant) -> "ParticipantPage | None":
        """What somebody sees who left, in place of the usual message."""
        return None

    def without_sheet(self, trial: Trial) -> "Stop | None":
        """The message to somebody for whom an open study has no sheet, in place of the usual one."""
        return None

    def sheet_facts(self, person: Participant) -> Facts:
        """The facts about the person's sheet for consent and instructions, which replace the usual ones."""
        return {}

    def door_facts(self, trial: Trial) -> Facts:
        """The context of pages for those who have not agreed yet."""
        return {}

    def person_facts(self, person: Participant) -> Facts:
        """The context of every page of a participant."""
        return {}

    def done_facts(self, person: Participant) -> Facts:
        """The context of the last page."""
        return {}

    def results_facts(self, trial: Trial) -> Facts:
        """The context of the public page about a study, for the kind's own part `results`."""
        return {}

    def desk_facts(self, person: Participant) -> Facts:
        """The context of the desk's page about a participant."""
        return {}


def register(path: str, *protocols: Protocol) -> None:
    """Add these protocols and their kind of study, the object at a dotted path."""
    for protocol in protocols:
        PROTOCOLS[protocol.name], PATHS[protocol.design.kind] = protocol, path


@cache
def find_kind(name: str) -> StudyKind:
    return import_string(PATHS[name])


def kinds() -> list[StudyKind]:
    return [find_kind(name) for name in PATHS]


def kind_of(trial: Trial) -> StudyKind:
    return find_kind(find_protocol(trial.protocol).design.kind)


@dataclass(frozen=True)
class ParticipantPage:
    """The page to show next."""

    template: str
    context: Mapping[str, Any] = field(default_factory=dict)
