"""The vocabulary of human studies: a protocol states facts; everything that runs a trial reads them."""

import hashlib
from collections.abc import Callable
from dataclasses import dataclass

from django.utils.functional import Promise as LazyText
from django.utils.translation import override

from humantrials.protocols.promises import Promise
from humantrials.trial_types import TrialType

Text = str | LazyText  # lazy texts are translated when they are shown


@dataclass(frozen=True)
class Option:
    """One answer: the value that is stored and scored, and the words on the button."""

    value: str
    label: Text


@dataclass(frozen=True)
class Consent:
    """What a participant agrees to. Raise `version` with every change; the digest tells the language too."""

    version: str
    paragraphs: tuple[Text, ...]
    agree: Text

    def text(self, language: str) -> str:
        with override(language):
            return "\n\n".join(str(paragraph) for paragraph in (*self.paragraphs, self.agree))

    def digest(self, language: str) -> str:
        return hashlib.sha256(self.text(language).encode()).hexdigest()


@dataclass(frozen=True)
class PracticeSource:
    """Items that a practice clip may be drawn from; `sentence` is None where the item's own question is asked."""

    kind: str
    facets: tuple[tuple[str, str], ...] = ()
    expected: str | None = None
    sentence: Text | None = None


@dataclass(frozen=True)
class QuizQuestion:
    """One question on the instructions; `right` is the value of the right option."""

    text: Text
    options: tuple[Option, ...]
    right: str


@dataclass(frozen=True)
class Protocol:
    """One kind of study."""

    name: str
    title: str
    benchmark: str
    kind: str  # question kind of the pool
    split: str
    group: str  # the facet of which a sheet takes one item each
    balance: str  # the facet that a smaller pool keeps in balance
    condition: str
    replicates: int  # answers wanted an item
    order: str
    lease_seconds: int  # how long a sheet is kept after the last sign of life
    consent_seconds: int  # the same while the consent is being read
    seconds_a_trial: int  # for the estimate of the time left
    trial_type: TrialType
    options: tuple[Option, ...]
    sentence: Callable[[str], str]  # item's prompt -> the exact sentence shown, before translation
    consent: Consent
    instructions: tuple[Text, ...]
    practice: tuple[PracticeSource, ...]
    debrief: tuple[Text, ...]
    promises: tuple[Promise, ...]
    attention_items: int = 0
    pay: str = ""
    has_sound: bool = False  # then there is a sound check before the instructions
    quiz: tuple[QuizQuestion, ...] = ()  # on the instructions, two attempts

    @property
    def values(self) -> tuple[str, ...]:
        return tuple(option.value for option in self.options)

    def label(self, value: str) -> Text:
        """The words on the button of this answer."""
        return next((option.label for option in self.options if option.value == value), value)
