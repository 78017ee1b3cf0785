"""The vocabulary of human studies: a protocol states facts, which the code that runs a trial reads."""

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType

from django.utils.functional import Promise as LazyText
from django.utils.translation import gettext, override
from django.utils.translation import gettext_lazy as _

from benchmarks.models import Item
from humantrials.protocols.designs.balanced import PoolItem, Sheet, draw_by_group, one_of_each_group_evened
from humantrials.protocols.invariants import Invariant
from humantrials.protocols.trial_types import TrialType
from measures.scores.moment_answers import NOTHING_WRONG, is_moment_within
from measures.scores.number_answers import number_in

Text = str | LazyText  # lazy texts are translated when they are rendered
Compose = Callable[[Sequence[PoolItem], int, int], tuple[Sheet, ...]]  # pool, replicates, seed -> sheets


@dataclass(frozen=True)
class Option:
    """One answer: the value that is stored and scored, and the words on its button."""

    value: str
    label: Text
    key: str = ""  # keyboard key


@dataclass(frozen=True)
class Consent:
    """What a participant agrees to. Raise `version` with every change; the digest also depends on the language."""

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
    """Items from which a practice clip may be drawn; `sentence` replaces the item's own question above it."""

    kind: str
    facets: tuple[tuple[str, str], ...] = ()
    expected: str | None = None
    sentence: Text | None = None
    has_media: bool = True  # False: the protocol's items are texts


@dataclass(frozen=True)
class OwnPractice:
    """A practice clip that comes with the site and is in no pack, shown beside packs that were made here."""

    path: str  # below static/; reveals nothing about the answer
    kind: str
    text: str  # the prompt, as in an item of this kind
    expected: str


@dataclass(frozen=True)
class QuizQuestion:
    """One question on the instructions; `right` is the value of the right option."""

    text: Text
    options: tuple[Option, ...]
    right: str
    why: Text = ""  # shown beside a wrong answer


@dataclass(frozen=True)
class Pool:
    """The items that a study may ask about, and how a smaller pool is drawn from them."""

    benchmark: str
    kind: str  # question kind of the items
    split: str
    also_of: tuple[str, ...] = ()  # further benchmarks whose packs may be used
    per_test: int | None = None  # maximum number of items of each group
    items: int | None = None  # maximum number of items altogether
    limit: str = "per_test"  # the setting that limits how many `draw` takes
    draw: Callable[[Sequence[PoolItem], int, int], list[str]] = draw_by_group  # pool, how many, seed -> public ids


@dataclass(frozen=True)
class Design:
    """How the pool becomes sheets, and the invariants of these sheets."""

    group: str  # facet; the default design puts at most one item of each value on a sheet
    balance: str  # a smaller pool is balanced over this facet
    condition: str
    replicates: int  # answers wanted for each item and condition
    order: str
    invariants: tuple[Invariant, ...]
    conditions: tuple[str, ...] = ()  # conditions that items are crossed over; () = `condition` only
    has_breaks: bool = False  # a break wherever the condition changes on a sheet
    kind: str = "slots"  # of study (humantrials/kinds.py)
    each_gets: str = "at most one of each test"  # for the methods paragraph, after the content of a sheet
    compose: Compose = one_of_each_group_evened
    may_adapt: bool = False  # a second round may ask for more answers where people disagree


@dataclass(frozen=True)
class Screening:
    """Admission, texts and steps before the first item."""

    consent: Consent
    instructions: tuple[Text, ...]
    practice: tuple[PracticeSource, ...]
    own_practice: OwnPractice | None = None  # goes before all sources
    qualified: bool = False  # only people on the author's list may come
    has_sound: bool = False  # adds a sound check before the instructions
    quiz: tuple[QuizQuestion, ...] = ()  # on the instructions
    quiz_attempts: int = 2


@dataclass(frozen=True)
class Player:
    """The content and controls of an item's page, and the lease of its sheet."""

    trial_type: TrialType
    options: tuple[Option, ...]
    seconds_a_trial: int  # for the estimate of the time left
    debrief: tuple[Text, ...]
    sentence: Callable[[str], str] = str  # item's prompt -> the exact sentence shown, before translation
    lease_seconds: int = 60 * 60  # how long a sheet is kept after the last heartbeat
    clips: int = 1  # clips that an item plays; 0 = none
    has_twin: bool = False  # the item's clip is shown before its twin, which is the second of the clips
    has_moments: bool = False  # an answer is a second of the clip, or nothing
    has_numbers: bool = False  # an answer is a number
    # On the key that marks a moment, and above its slider.
    marks: tuple[Text, Text] = (_("Impossible, now"), _("The first moment at which one can know it"))
    shows_frames: bool = False  # stills of the clip, as many as the setting `frames` says
    has_pictures: bool = False  # an item shows still pictures, as many as it has
    has_own_options: bool = False  # the item's own options come before `options`
    labels: Mapping[str, Text] = field(default_factory=lambda: MappingProxyType({}))  # words for the item's own options
    swaps: bool = False  # the order of the buttons is drawn for each person
    words: Mapping[str, Text] = field(default_factory=lambda: MappingProxyType({}))  # condition -> note about it
    translate: Callable[[str], str] = gettext  # translates the sentence into the page's language

    @property
    def own_clips(self) -> int:
        """How many clips an item itself has."""
        return 1 if self.has_twin or self.shows_frames else self.clips

    @property
    def is_watched(self) -> bool:
        """Whether the page plays videos."""
        return self.clips > 0

    @property
    def has_media(self) -> bool:
        """Whether the page shows videos or pictures."""
        return self.is_watched or self.shows_frames or self.has_pictures

    def page_sentence(self, prompt: str) -> str:
        """The sentence on the page, in the page's language."""
        return self.translate(self.sentence(prompt))

    def options_for(self, item: Item) -> tuple[Option, ...]:
        """The item's options, in the order of the page."""
        own = item.options if self.has_own_options else ()
        every = (*(Option(value, self.labels.get(value, value)) for value in own), *self.options)
        return tuple(replace(option, key=key) for option, key in zip(every, _keys(every), strict=True))

    @property
    def keys(self) -> tuple[str, ...]:
        """The keys of the options that every item has, in the order of the page; () where items have their own."""
        return () if self.has_own_options else tuple(_keys(self.options))

    def accepts(self, value: str, item: Item) -> bool:
        if self.has_moments and value != NOTHING_WRONG:
            return is_moment_within(value, item.clip.seconds if item.clip else 0.0)
        if self.has_numbers:
            return number_in(value) is not None
        return any(option.value == value for option in self.options_for(item))

    def label(self, value: str) -> Text:
        """The words on the button of this answer."""
        if self.has_moments and value[:1].isdigit():
            return f"{float(value):.2f} s"
        return next((option.label for option in self.options if option.value == value), self.labels.get(value, value))


@dataclass(frozen=True)
class Analysis:
    """Which answers count, and what the results are."""

    by_moment: bool = False  # answers are seconds of the clip, compared with the moment of its violation
    has_right_answers: bool = True  # False: answers are ratings, without accuracy and without a row on a board
    abstain: str = ""  # the option that abstains: has its own column, left out of votes
    excludes: tuple[str, ...] = ()  # exclusion rules (exclusion_rules.RULES) that the results apply
    strategy: str = ""  # prompting of the models to compare with; "" = the first with such questions
    row: str = "majority"  # the board's row: the "majority" of each item, or the "mean" over answers

    @property
    def has_figures(self) -> bool:
        """Whether the results are figures of people; else answers are ratings, which stand beside those of models."""
        return self.has_right_answers or self.by_moment


@dataclass(frozen=True)
class Protocol:
    """One kind of study."""

    name: str
    title: str
    pool: Pool
    design: Design
    screening: Screening
    player: Player
    analysis: Analysis = Analysis()

    @property
    def unit(self) -> str:
        """The subject of one slot, in words for readers: a video, or a question where several are asked about it."""
        return "video" if self.player.clips == 1 and self.analysis.row == "majority" else "question"


def _keys(options: Sequence[Option]) -> Iterator[str]:
    """Yield the keys: J and K for two options, letters for letters; else a digit, the option's number or place."""
    if len(options) == 2:
        yield from "JK"
        return
    if all(len(option.value) == 1 and option.value.isalpha() for option in options):
        yield from (option.value.upper() for option in options)
        return
    are_numbers = any(option.value.isdecimal() for option in options)
    for place, option in enumerate(options, 1):
        digit = option.value if are_numbers else str(place)
        yield digit if digit.isdecimal() and len(digit) == 1 else ""
