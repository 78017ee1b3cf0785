"""The data classes of a benchmark's definition, and of its importer's result: clips and questions."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from benchmarks.definitions.published_data import Defect, PublishedRow, PublishedTable
from benchmarks.definitions.rated_dimensions import RatedDimension
from benchmarks.definitions.wordings import PromptWording
from benchmarks.words import CONDITIONS_IN_FULL


def narrowest(tests: Iterable[str]) -> str:
    """The most specific of an item's tests: "TwoObjectOrdering" rather than "Ordering"."""
    return max(sorted(tests), key=len, default="")


def title_among(values: Iterable[Any], value: str) -> str:
    """The title of the one of a facet's values that is this; the value itself if there is none."""
    return next((one.title for one in values if one.value == value), value)


def plural(word: str) -> str:
    """Plural of a facet's English name, such as test or property; some are plurals already."""
    noun, of, whose = word.partition(" of ")
    if any(part.endswith("s") for part in noun.split()):  # "materials present"
        return word
    return (noun[:-1] + "ies" if noun.endswith("y") else noun + "s") + of + whose


@dataclass(frozen=True)
class ClipUse:
    """A clip's place in a question: role and position. PACS' second object is ("object", 1)."""

    key: str  # the official key of the clip
    role: str = "clip"
    position: int = 0


@dataclass(frozen=True)
class ItemRow:
    """One question as the importer reads it; `key` is official, `variant` distinguishes items with the same key."""

    key: str
    kind: str
    text: str
    answer_kind: str  # a value of benchmarks.models.AnswerKind
    options: tuple[str, ...]
    expected: str | None
    variant: str = ""
    lead_in: str = ""  # the first question of a chain-of-thought prompt
    clip: str | None = None  # official key of the clip; None for text items and items with several clips
    clips: tuple[ClipUse, ...] = ()  # for items with several clips, in display order
    facets: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    splits: tuple[str, ...] = ("all",)
    reference: Mapping[str, str] = field(default_factory=dict)  # for the referee: see `Item.reference`
    group: str = ""  # of questions that are scored together; '' = none
    place: int = 0  # in the group, from 1
    rule: str = ""  # of the group, a name of measures.scores.group_scores.RULES; '' = the benchmark's

    @property
    def uses(self) -> tuple[ClipUse, ...]:
        """Every clip of the question, in display order."""
        return (ClipUse(self.clip),) if self.clip else self.clips


@dataclass(frozen=True)
class ClipFile:
    """One clip of an unpacked release."""

    key: str
    path: Path
    trajectory: Path | None = None
    facts: Mapping[str, object] = field(default_factory=dict)  # generated clips: profile, seed, index, parameters
    poster: float = 0.5  # the share of the clip at which its thumbnail is taken


@dataclass(frozen=True)
class Release:
    """The clips and questions that an importer found, and oddities of the folder as (where, what)."""

    clips: tuple[ClipFile, ...]
    rows: tuple[ItemRow, ...]
    problems: tuple[tuple[str, str], ...] = ()
    gaps: tuple[tuple[str, str], ...] = ()  # parts of a complete release that are missing
    notes: tuple[tuple[str, str], ...] = ()  # oddities of every complete copy
    origin: str = "official"  # or "generated"
    profile: str = ""
    texts: tuple[Path, ...] = ()  # label files; the pack's hash covers them like the clips
    root: Path = Path()  # official paths are relative to this folder


@dataclass(frozen=True)
class FacetValue:
    """One value of a facet, with its title on pages and in exports."""

    value: str
    title: str
    number: int | None = None
    caution: str = ""
    level: str = ""  # the only level with this value, '' = any
    part_of: str = ""  # the value that includes this one: "Ordering" includes the three orderings
    concepts: tuple[str, ...] = ()  # the concepts that this test covers

    @property
    def full_title(self) -> str:
        """The title after its number, if it has one."""
        return f"{self.number} {self.title}" if self.number else self.title


@dataclass(frozen=True)
class Facet:
    """A property that boards group by."""

    name: str
    title: str
    values: tuple[FacetValue, ...]
    tells: bool = False  # its value reveals (part of) the correct answer, so lists of questions omit it

    @property
    def plural(self) -> str:
        """The title in small letters and in the plural: "tests", "materials present"."""
        return plural(self.title.lower())


@dataclass(frozen=True)
class Level:
    """A part of a benchmark with its own boards; `number` is its value in URLs (`level=1`)."""

    number: str
    title: str
    about: str
    groups: tuple[str, ...]  # facets by which its board can be grouped; the first is the default
    strategies: tuple[str, ...]  # the first is the default
    chance: float | None = 0.5
    printed: str = ""  # the meaning of the paper's figures if they are not accuracies
    dimensions: tuple[str, ...] = ()  # the dimensions scored by a referee; () = answers are right or wrong


@dataclass(frozen=True)
class StrategyName:
    """The titles and settings of a strategy; evaluation/prompting/strategies.py has its code under the same name."""

    name: str
    title: str  # in plain words: "yes/no", "after a look"
    paper: str  # the paper's term
    level: str
    kinds: tuple[str, ...]  # the kinds of question that it asks
    ours: bool = False  # the wording is ours, not the paper's
    condition: str = "video"
    splits: tuple[str, ...] = ("all",)  # the possible splits; the first is the default
    chances: Mapping[str, float] = field(default_factory=dict)  # column -> chance, if columns differ
    parser: str = ""  # the parser of its replies, '' = the benchmark's first parser
    version: str = "1"  # of the wording, since another wording may change scores
    prompt: str = ""  # the text with placeholders; '' = only the clip
    system: str = ""  # the system prompt, with the same placeholders
    first: str = ""  # a turn before it that shows the clip
    example: str = ""  # a turn before it that shows another item of the same tests
    clip_names: tuple[str, ...] | None = None  # names above the clips; () = none; None = numbers, if there are several
    choice_names: tuple[str, ...] = ()  # names above the clips in the role "choice"
    shows_stills: bool = False  # the clips are single pictures
    by_likelihood: bool = False  # the answer is the option with the highest probability, not the reply's text
    by_surprise: bool = False  # no answer: one number per window of the clip, by which twins are compared
    by_moment: bool = False  # the answer is a second of the clip, or "nothing"
    by_rating: bool = False  # the answer is a step of a scale, or the better of two clips: none is right
    with_twin: bool = False  # shows the twin beside the item's clip: only in packs with matched twins
    constrained: bool = False  # the reply must be one of the options
    wordings: tuple[PromptWording, ...] = ()  # each question is asked in all of them, in place of several seeds

    @property
    def term(self) -> str:
        """The paper's term; the title if no paper names the strategy."""
        return self.title if self.paper in NO_TERMS else self.paper

    @property
    def asks_numbers(self) -> bool:
        """Whether its answers are numbers or seconds rather than options."""
        return self.parser in NUMBER_PARSERS

    @property
    def is_of_own_kind(self) -> bool:
        """Whether only one parser reads its kind of answers."""
        return self.by_likelihood or self.by_surprise or self.by_moment or self.with_twin

    @property
    def is_scored_apart(self) -> bool:
        """Whether its single answers are neither right nor wrong, so that boards of accuracy leave them out."""
        return self.by_surprise or self.by_moment or self.by_rating

    @property
    def is_variant(self) -> bool:
        """Whether it is a further form of another strategy; boards show it only if it has rows."""
        return self.by_likelihood or self.with_twin or self.constrained or bool(self.wordings)

    @property
    def as_constrained(self) -> "StrategyName":
        """The same prompt, with replies restricted to the options."""
        return self._variant("constrained", "constrained", constrained=True)

    def in_wordings(self, wordings: tuple[PromptWording, ...]) -> "StrategyName":
        """The same questions, each asked in all of these wordings."""
        return self._variant("wordings", f"{len(wordings)} wordings", ours=True, wordings=wordings)

    @property
    def with_likelihood(self) -> "StrategyName":
        """The same question, answered by the model's probabilities of the options."""
        return self._variant("likelihood", "likelihood", parser=LIKELIHOOD_PARSER, by_likelihood=True)

    def _variant(self, name: str, words: str, **changes: Any) -> "StrategyName":
        return replace(self, name=f"{self.name}-{name}", title=f"{self.title}, {words}", paper=NOT_IN_PAPER, **changes)


NOT_IN_PAPER = "not in the paper"
NO_TERMS = (NOT_IN_PAPER, "our own")
LIKELIHOOD_PARSER = "likelihood"  # in evaluation/parsing
NUMBER_PARSERS = ("number", "moment")  # for answer kinds of the same names


@dataclass(frozen=True)
class GroupRule:
    """How the questions of a group are scored together, in addition to their own scores."""

    title: str  # name of a group: "pair", "quad", "video"
    rule: str  # a name of measures.scores.group_scores.RULES
    size: int = 0  # questions of a complete group; 0 = as many as the pack has


@dataclass(frozen=True)
class PeopleStudy:
    """The study's settings of a benchmark that is a file."""

    protocol: str  # name of the design of sheets
    title: str
    kind: str
    split: str
    invitation: str
    instructions: tuple[str, ...]
    debrief: tuple[str, ...] = ()
    labels: Mapping[str, str] = field(default_factory=dict)  # answer -> words on its button
    clips: int = 1
    answers: int = 3  # per question
    questions: int | None = None  # the most questions, drawn at random
    seconds: int = 20  # per question
    answer: str = "label"  # of its kind of question: see `ItemRow.answer_kind`
    apart: str = "test"  # a sheet has at most one question, or an equal share, per value of this facet


CONDITIONS: Mapping[str, str] = CONDITIONS_IN_FULL
FRAME_CONTROLS = ("first-frame", "middle-frame", "last-frame", "shuffled-frames", "question-only")
SIGHT = ("video", *FRAME_CONTROLS)
SOUND = ("audio", "no-audio", "silent-one", "flipped-audio")
AUDIO_ONLY = "audio-only"


@dataclass(frozen=True)
class PackContents:
    """Facts about a pack's content for its benchmark's caveats.

    `counts` maps (facet, value) to the number of questions, for each facet in the benchmark's `caveat_facets`.
    """

    questions: int
    videos: int
    counts: Mapping[tuple[str, str], int]


def no_caveats(_contents: PackContents) -> tuple[str, ...]:
    return ()


@dataclass(frozen=True)
class Benchmark:
    """The definition of one benchmark. Bump `version` whenever a change could affect a score."""

    slug: str
    title: str
    question: str  # the benchmark in one sentence, for readers
    about: str
    version: str
    citation: str  # BibTeX
    licence: str
    media_policy: str  # "public", "participants" or "none"
    levels: tuple[Level, ...]
    facets: tuple[Facet, ...]
    strategies: tuple[StrategyName, ...]
    parsers: tuple[str, ...]  # the first is the default
    splits: tuple[str, ...]
    protocols: tuple[str, ...]
    read_release: Callable[[Path], Release] | None  # None: its release can't be imported yet
    published: tuple[PublishedRow, ...] = ()  # the paper's rows on the boards
    tables: tuple[PublishedTable, ...] = ()  # the paper's complete tables, on boards or not
    made_policy: str = ""  # the `media_policy` of clips generated here; '' = the same
    kinds: tuple[FacetValue, ...] = ()  # question kinds as pages name them
    scoring: tuple[str, ...] = ()  # how it is scored, one sentence each
    defects: tuple[Defect, ...] = ()
    caveats: Callable[[PackContents], tuple[str, ...]] = no_caveats  # sentences about the scores of one of its packs
    caveat_facets: tuple[str, ...] = ()  # the facets by which its caveats count questions
    homepage: str = ""
    is_released: bool = True  # False: no official release; packs are prepared from the files of other data sets
    generate_set: str = ""  # dotted path of a SetMaker, which generates a whole set at once; '' = scene by scene
    generate: str = ""  # dotted path of the scenes by folder name; '' = not generated scene by scene
    write_official: Callable[[Iterable[tuple[str, str, str, str]], Path], int] | None = None  # tables for its own tools
    twin_key: Callable[[str], str] | None = None  # a clip's key -> that of its scene with the other answer; '' = none
    draw_of: Callable[[str], str] | None = None  # a clip's key -> its draw; in packs made here other answers share it
    audit: str = ""  # dotted path of the function that derives labels again: folder -> (clip, findings) pairs
    rings: tuple[str, ...] = ()  # the two facets of the rings of its sunburst; answers are outside
    sheets_by: str = "test"  # the facet whose values have pictures in static/sheets/
    sheets_about: str = ""  # caption of these pictures; '' = moments of clips that were generated here
    conditions: tuple[str, ...] = SIGHT  # the allowed conditions, names of CONDITIONS
    is_file: bool = False  # from a benchmark.toml
    people: PeopleStudy | None = None  # of a benchmark that is a file: its study
    sealed: tuple[str, ...] = ()  # splits with answers that come with the release but are never served
    groups: GroupRule | None = None  # questions that are scored together, too
    dimensions: tuple[RatedDimension, ...] = ()  # what raters are asked about its clips
    clusters: str = "clip"  # what makes answers depend on each other: the item's clip, or in a "dyad" either of two

    @property
    def can_be_imported(self) -> bool:
        """Whether it has an importer; for templates, which would call `read_release` itself."""
        return self.read_release is not None

    @property
    def has_boards(self) -> bool:
        """Whether any of its prompts has right answers, so that models and people are compared by them."""
        return any(level.strategies for level in self.levels)

    @property
    def has_sound(self) -> bool:
        """Whether its conditions include clips with sound."""
        return set(SOUND) <= set(self.conditions)

    @property
    def can_be_made(self) -> bool:
        """Whether this site can generate clips for it."""
        return bool(self.generate or self.generate_set)

    def facet(self, name: str) -> Facet:
        return next(facet for facet in self.facets if facet.name == name)

    @property
    def telling(self) -> frozenset[str]:
        """Names of the facets that reveal the true answer."""
        return frozenset(facet.name for facet in self.facets if facet.tells)

    def strategy(self, name: str) -> StrategyName:
        return next(strategy for strategy in self.strategies if strategy.name == name)

    def tells_by_level(self, strategy: StrategyName) -> bool:
        """Whether another level has the same kinds of question; then the strategy is limited to its own level."""
        return any(one.level != strategy.level and set(one.kinds) & set(strategy.kinds) for one in self.strategies)

    def level(self, number: str) -> Level:
        return next(level for level in self.levels if level.number == number)

    def chance(self, strategy: str, column: str) -> float | None:
        """Chance level of this column; None if it mixes different chance levels or has none."""
        found = self.strategy(strategy)
        if found.chances:
            return found.chances.get(column)
        return self.level(found.level).chance

    def conditions_of(self, strategy: str) -> tuple[str, ...]:
        """The conditions of this strategy; a text-only strategy has only its own."""
        own = self.strategy(strategy).condition
        return (own,) if own == "text" else tuple(name for name in self.conditions if name != "text")

    @property
    def kinds_with_clips(self) -> tuple[str, ...]:
        """Kinds of question that at least one strategy asks about clips; the others are text-only."""
        with_clips = (strategy for strategy in self.strategies if strategy.condition != "text")
        return tuple(dict.fromkeys(kind for strategy in with_clips for kind in strategy.kinds))

    def parsers_for(self, strategy: str) -> tuple[str, ...]:
        """The parsers for this strategy's replies; parsers of other answer kinds would read nothing in them."""
        found = self.strategy(strategy)
        if found.is_of_own_kind:
            return (found.parser,)
        of_kinds = {one.parser for one in self.strategies if one.is_of_own_kind} - {""}
        return tuple(parser for parser in self.parsers if parser not in of_kinds)

    def parser_of(self, strategy: str) -> str:
        """The default parser of this strategy's replies."""
        return self.strategy(strategy).parser or self.parsers[0]
