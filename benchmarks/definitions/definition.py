"""The data classes that describe a benchmark, and what its importer returns: clips and questions."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from benchmarks.definitions.published_rows import Defect, PublishedRow, PublishedTable
from benchmarks.definitions.wordings import PromptWording


@dataclass(frozen=True)
class ClipUse:
    """A clip's place in a question: role and position. PACS' second object is ("object", 1)."""

    key: str  # the official key of the clip
    role: str = "clip"
    position: int = 0


@dataclass(frozen=True)
class ItemRow:
    """One question as the importer reads it; `key` is the official one, `variant` distinguishes items that share it."""

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
    reference: Mapping[str, str] = field(default_factory=dict)  # given to the referee: see `Item.reference`
    group: str = ""  # of questions that are scored together, '' = none
    place: int = 0  # in the group, from 1
    rule: str = ""  # of the group, a name of measures.group_scores.RULES; '' = the benchmark's

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
    """The clips and questions that an importer found, and the folder's oddities as (where, what)."""

    clips: tuple[ClipFile, ...]
    rows: tuple[ItemRow, ...]
    problems: tuple[tuple[str, str], ...] = ()
    gaps: tuple[tuple[str, str], ...] = ()  # parts of a complete release that are missing here
    notes: tuple[tuple[str, str], ...] = ()  # oddities that every complete copy has as well
    origin: str = "official"  # or "generated"
    profile: str = ""
    texts: tuple[Path, ...] = ()  # label files; they count in the pack's hash as the clips do
    root: Path = Path()  # official paths are relative to this folder


@dataclass(frozen=True)
class FacetValue:
    """One value of a facet, with its title on pages and in exports."""

    value: str
    title: str
    number: int | None = None
    caution: str = ""
    level: str = ""  # the only level with this value, '' = any
    part_of: str = ""  # the value that includes it: "Ordering" includes the three orderings
    concepts: tuple[str, ...] = ()  # the concepts that this test is about


@dataclass(frozen=True)
class Facet:
    """A property that boards group by."""

    name: str
    title: str
    values: tuple[FacetValue, ...]
    tells: bool = False  # its value reveals (part of) the true answer, so lists of questions leave it out


@dataclass(frozen=True)
class Level:
    """A part of a benchmark with its own boards; `number` is its value in URLs (`level=1`)."""

    number: str
    title: str
    about: str
    groups: tuple[str, ...]  # facets that its board can be grouped by; the first is the default
    strategies: tuple[str, ...]  # the first is the default
    chance: float | None = 0.5
    printed: str = ""  # what the paper's figures mean if they are not accuracies
    dimensions: tuple[str, ...] = ()  # the dimensions that a referee scores; () = answers are right or wrong


@dataclass(frozen=True)
class StrategyName:
    """The titles and settings of a strategy; its code is in evaluation/prompting/strategies.py under the same name."""

    name: str
    title: str  # in plain words: "yes/no", "after a look"
    paper: str  # the paper's term
    level: str
    kinds: tuple[str, ...]  # the kinds of question that it asks
    ours: bool = False  # the wording is ours, not the paper's
    condition: str = "video"
    splits: tuple[str, ...] = ("all",)  # the splits that it can be run on; the first is the default
    chances: Mapping[str, float] = field(default_factory=dict)  # column -> chance, if columns differ
    parser: str = ""  # the parser of its replies, '' = the benchmark's first parser
    version: str = "1"  # of the wording: another wording may change scores
    prompt: str = ""  # the text with placeholders; '' = the clip without a word
    first: str = ""  # a turn before it that shows the clip
    example: str = ""  # a turn before it that shows another item of the same tests
    clip_names: tuple[str, ...] | None = None  # stand above the clips; () = none do; None = numbers, if several
    choice_names: tuple[str, ...] = ()  # stand above the clips in the role "choice"
    shows_stills: bool = False  # the clips are single pictures
    by_likelihood: bool = False  # the answer is the option with the highest probability, not the reply's text
    by_surprise: bool = False  # no answer: a number a window of the clip, by which twins are compared
    by_moment: bool = False  # the answer is a second of the clip, or nothing
    with_twin: bool = False  # the item's clip is shown beside its twin: only in packs whose twins are matched
    constrained: bool = False  # the reply can be nothing but one of the options
    wordings: tuple[PromptWording, ...] = ()  # each question is asked in all of them, in place of drawing seeds

    @property
    def term(self) -> str:
        """The paper's term; the title of a strategy that no paper names."""
        return self.title if self.paper in NO_TERMS else self.paper

    @property
    def asks_numbers(self) -> bool:
        """Whether its answers are numbers or seconds, which no option names."""
        return self.parser in NUMBER_PARSERS

    @property
    def is_of_own_kind(self) -> bool:
        """Whether its answers are of a kind that one parser alone reads."""
        return self.by_likelihood or self.by_surprise or self.by_moment or self.with_twin

    @property
    def is_scored_apart(self) -> bool:
        """Whether its answers are neither right nor wrong by themselves, so that boards of accuracy leave them out."""
        return self.by_surprise or self.by_moment

    @property
    def is_variant(self) -> bool:
        """Whether it asks another strategy's questions in a further way: boards show it only where it has rows."""
        return self.by_likelihood or self.with_twin or self.constrained or bool(self.wordings)

    @property
    def as_constrained(self) -> "StrategyName":
        """The same words, but the reply can be nothing but one of the options."""
        return replace(
            self,
            name=f"{self.name}-constrained",
            title=f"{self.title}, constrained",
            paper=NOT_IN_PAPER,
            constrained=True,
        )

    def in_wordings(self, wordings: tuple[PromptWording, ...]) -> "StrategyName":
        """The same questions, each asked in all of these wordings."""
        return replace(
            self,
            name=f"{self.name}-wordings",
            title=f"{self.title}, {len(wordings)} wordings",
            paper=NOT_IN_PAPER,
            ours=True,
            wordings=wordings,
        )

    @property
    def with_likelihood(self) -> "StrategyName":
        """The same question, answered by the probabilities that the model gives to the options."""
        return replace(
            self,
            name=f"{self.name}-likelihood",
            title=f"{self.title}, likelihood",
            paper=NOT_IN_PAPER,
            parser=LIKELIHOOD_PARSER,
            by_likelihood=True,
        )


NOT_IN_PAPER = "not in the paper"
NO_TERMS = (NOT_IN_PAPER, "our own")
LIKELIHOOD_PARSER = "likelihood"  # of evaluation/parsing
NUMBER_PARSERS = ("number", "moment")  # of answer kinds of the same names


@dataclass(frozen=True)
class GroupRule:
    """How the questions of a group are scored together, beside their own scores."""

    title: str  # of one group: "pair", "quad", "video"
    rule: str  # a name of measures.group_scores.RULES
    size: int = 0  # questions of a complete group; 0 = as many as the pack has


@dataclass(frozen=True)
class PeopleStudy:
    """How people are asked, for a benchmark that is a file."""

    protocol: str  # name of the design of sheets
    title: str
    kind: str
    split: str
    invitation: str
    instructions: tuple[str, ...]
    debrief: tuple[str, ...] = ()
    labels: Mapping[str, str] = field(default_factory=dict)  # answer -> words on its button
    clips: int = 1
    answers: int = 3  # wanted for each question
    questions: int | None = None  # at most so many, drawn
    seconds: int = 20  # a question
    answer: str = "label"  # of its kind of question: see `ItemRow.answer_kind`
    apart: str = "test"  # the facet of whose values a sheet has at most one, or an equal share


# What the answerer sees and hears. People and models share these names.
CONDITIONS: Mapping[str, str] = {
    "video": "the clip",
    "text": "words alone: what is to be seen is told",
    "first-frame": "the first frame of the clip",
    "last-frame": "the last frame of the clip",
    "middle-frame": "the middle frame of the clip",
    "shuffled-frames": "frames of the clip in a drawn order",
    "question-only": "the question without the clip",
    "audio": "the clip with its sound",
    "no-audio": "the clip without its sound",
    "silent-one": "the clips, the sound of one of the two replaced by silence",
    "flipped-audio": "the clips, their sounds exchanged",
    "audio-only": "the sound of the clip without its pictures",
}
FRAME_CONTROLS = ("first-frame", "middle-frame", "last-frame", "shuffled-frames", "question-only")
SIGHT = ("video", *FRAME_CONTROLS)
SOUND = ("audio", "no-audio", "silent-one", "flipped-audio")
AUDIO_ONLY = "audio-only"


@dataclass(frozen=True)
class PackContents:
    """What a pack holds, as its benchmark's caveats need it: `counts` has the questions of each value of the facets in
    the benchmark's `caveat_facets`, by (facet, value)."""

    origin: str
    profile: str
    definition_version: str
    questions: int
    videos: int
    counts: Mapping[tuple[str, str], int]


@dataclass(frozen=True)
class Caveat:
    """A sentence about the scores of one pack, shown with its boards and in exports; `level` "" = on every board."""

    text: str
    level: str = ""


def no_caveats(_contents: PackContents) -> tuple[Caveat, ...]:
    return ()


@dataclass(frozen=True)
class Benchmark:
    """The definition of one benchmark. Bump `version` whenever a change could move a score."""

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
    caveats: Callable[[PackContents], tuple[Caveat, ...]] = no_caveats  # of one of its packs
    caveat_facets: tuple[str, ...] = ()  # the facets whose questions its caveats count
    homepage: str = ""
    is_released: bool = True  # False: no official release; packs are prepared from the files of other data sets
    generate_set: str = ""  # dotted path of a SetMaker, which generates a whole set at once; '' = scene by scene
    generate: str = ""  # dotted path of the scenes by folder name; '' = not generated scene by scene
    write_official: Callable[[Iterable[tuple[str, str, str, str]], Path], int] | None = None  # tables for its own tools
    twin_key: Callable[[str], str] | None = (
        None  # a clip's key -> key of the same scene with the other answer, '' if none
    )
    audit: str = ""  # dotted path of the function that derives labels again: folder -> (clip, findings) pairs
    rings: tuple[str, ...] = ()  # two facets drawn as rings on its page, with the answers outside them
    sheets_by: str = "test"  # the facet whose values have pictures in static/sheets/
    sheets_about: str = ""  # caption of these pictures; '' = moments of clips that were generated here
    conditions: tuple[str, ...] = SIGHT  # the allowed conditions, names of CONDITIONS
    is_file: bool = False  # from a benchmark.toml
    people: PeopleStudy | None = None  # of a benchmark that is a file: its study
    sealed: tuple[str, ...] = ()  # splits whose answers come with the release and are never served
    groups: GroupRule | None = None  # questions that are scored together as well
    clusters: str = "clip"  # what makes answers depend on each other: the item's clip, or in a "dyad" either of two

    @property
    def can_be_imported(self) -> bool:
        """Whether it has an importer. For templates, which would call `read_release` itself."""
        return self.read_release is not None

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
        """Whether another level uses the same kinds of question; the strategy is then limited to its own level."""
        return any(one.level != strategy.level and set(one.kinds) & set(strategy.kinds) for one in self.strategies)

    def level(self, number: str) -> Level:
        return next(level for level in self.levels if level.number == number)

    def chance(self, strategy: str, column: str) -> float | None:
        """Chance level of this column; None if it mixes different chances or has none."""
        found = self.strategy(strategy)
        if found.chances:
            return found.chances.get(column)
        return self.level(found.level).chance

    def conditions_of(self, strategy: str) -> tuple[str, ...]:
        """The conditions that this strategy can run under; a text-only strategy has only its own."""
        own = self.strategy(strategy).condition
        return (own,) if own == "text" else tuple(name for name in self.conditions if name != "text")

    @property
    def kinds_with_clips(self) -> tuple[str, ...]:
        """Kinds of question asked about clips by at least one strategy; the others are text-only."""
        with_clips = (strategy for strategy in self.strategies if strategy.condition != "text")
        return tuple(dict.fromkeys(kind for strategy in with_clips for kind in strategy.kinds))

    def parsers_for(self, strategy: str) -> tuple[str, ...]:
        """The parsers that may read this strategy's replies; those of other answer kinds read nothing of it."""
        found = self.strategy(strategy)
        of_kinds = {one.parser for one in self.strategies if one.is_of_own_kind} - {""}
        return (found.parser,) if found.is_of_own_kind else tuple(one for one in self.parsers if one not in of_kinds)

    def parser_of(self, strategy: str) -> str:
        """The default parser of this strategy's replies."""
        return self.strategy(strategy).parser or self.parsers[0]
