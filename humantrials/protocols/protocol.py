"""The vocabulary of human studies: a protocol states facts; everything that runs a trial reads them."""

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType

from django.utils.functional import Promise as LazyText
from django.utils.translation import gettext, override

from benchmarks.models import Item
from humantrials.design import PoolItem, Sheet, draw_by_group, one_of_each_group
from humantrials.protocols.promises import Promise
from humantrials.trial_types import TrialType

Text = str | LazyText  # lazy texts are translated when they are shown


@dataclass(frozen=True)
class Option:
    """One answer: the value that is stored and scored, and the words on the button."""

    value: str
    label: Text
    key: str = ""  # that presses it


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
    """Items that a practice clip, or an attention item, may be drawn from.

    `sentence` stands above a practice clip instead of the item's own question.
    """

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
    replicates: int  # answers wanted an item and condition
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
    attention: tuple[PracticeSource, ...] = ()  # where attention items are drawn from
    attention_items: int = 0  # of them on each sheet, at drawn places
    attention_slips: int = 0  # how many of them somebody may miss and still be taken for attentive
    excludes: tuple[str, ...] = ()  # rules (results.RULES) by which people are left out of the results
    pay: str = ""
    has_sound: bool = False  # then there is a sound check before the instructions
    quiz: tuple[QuizQuestion, ...] = ()  # on the instructions, two attempts
    conditions: tuple[str, ...] = ()  # where items are crossed over several; () = `condition` alone
    clips: int = 1  # that an item shows; 0 = none that is played
    has_pictures: bool = False  # an item shows still pictures, as many as it has
    has_right_answers: bool = True  # else answers are ratings: no accuracy, no row on a board
    has_own_options: bool = False  # the item's own answers come before `options`
    labels: Mapping[str, Text] = field(default_factory=lambda: MappingProxyType({}))  # words for answers of items
    swaps: bool = True  # the order of the buttons is drawn for each person
    has_breaks: bool = False  # a break wherever the condition changes on a sheet
    abstain: str = ""  # the answer that is none: kept in a column of its own, left out of votes
    least_answered: float = 0.0  # share of a sheet that a person must have answered to be included
    row: str = "majority"  # what the board's row is: the "majority" of each item, or the "mean" over answers
    per_test: int | None = None  # items of each group, at most
    items: int | None = None  # items of the pool, at most
    qualified: bool = False  # only people on the author's list may come
    translate: Callable[[str], str] = gettext  # the sentence in the language of the page
    compose: Callable[[Sequence[PoolItem], int, int], tuple[Sheet, ...]] = one_of_each_group  # pool, replicates, seed
    draw: Callable[[Sequence[PoolItem], int, int], list[str]] = draw_by_group  # pool, how many, seed -> public ids
    stages: tuple[str, ...] = ()  # of work on clips, in place of slots on items
    also_of: tuple[str, ...] = ()  # further benchmarks whose packs may be the material
    limit: str = "per_test"  # the setting that says how many `draw` takes
    each_gets: str = "at most one of each test"  # for the paragraph on methods, after what a sheet holds
    words: Mapping[str, Text] = field(default_factory=lambda: MappingProxyType({}))  # condition -> what is said of it

    @property
    def unit(self) -> str:
        """What one slot asks about, in the words of pages for readers: a video, or one of several questions on it."""
        return "video" if self.clips == 1 and self.row == "majority" else "question"

    @property
    def is_watched(self) -> bool:
        """Whether there are videos to be played."""
        return self.clips > 0

    def shown(self, prompt: str) -> str:
        """What the page says, in its language."""
        return self.translate(self.sentence(prompt))

    def options_for(self, item: Item) -> tuple[Option, ...]:
        """The answers to this item, in the order of the page."""
        own = item.options if self.has_own_options else ()
        every = (*(Option(value, self.labels.get(value, value)) for value in own), *self.options)
        return tuple(replace(option, key=key) for option, key in zip(every, _keys(every), strict=True))

    def accepts(self, value: str, item: Item) -> bool:
        return any(option.value == value for option in self.options_for(item))

    def label(self, value: str) -> Text:
        """The words on the button of this answer."""
        return next((option.label for option in self.options if option.value == value), self.labels.get(value, value))


def _keys(options: Sequence[Option]) -> Iterator[str]:
    """J and K for two answers; of more, a digit presses its number, or the place in the row; beyond nine none does."""
    if len(options) == 2:
        yield from "JK"
        return
    are_numbers = any(option.value.isdecimal() for option in options)
    for place, option in enumerate(options, 1):
        digit = option.value if are_numbers else str(place)
        yield digit if digit.isdecimal() and len(digit) == 1 else ""
