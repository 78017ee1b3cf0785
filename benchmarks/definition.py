"""The vocabulary of benchmarks: a definition states facts, an importer yields rows. All else is built on these."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks.printed import Defect, PrintedTable, PublishedRow


@dataclass(frozen=True)
class ClipUse:
    """A clip in its place on a question: PACS' second object is ("object", 1), Giraffe's first image ("image", 0)."""

    key: str  # the official key of the clip
    role: str = "clip"
    position: int = 0


@dataclass(frozen=True)
class ItemRow:
    """One question as the importer gives it; `key` is the official one and `variant` tells apart what shares it."""

    key: str
    kind: str
    text: str
    answer_kind: str  # "yes-no", "label" or "free"
    options: tuple[str, ...]
    expected: str | None
    variant: str = ""
    lead_in: str = ""  # what chain-of-thought asks first
    clip: str | None = None  # the official key of the clip, None for text items and for those of several clips
    clips: tuple[ClipUse, ...] = ()  # of a question about several clips, in the order shown
    facets: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    splits: tuple[str, ...] = ("all",)
    reference: Mapping[str, str] = field(default_factory=dict)  # what a referee is told: see `Item.reference`

    @property
    def uses(self) -> tuple[ClipUse, ...]:
        """Every clip of the question, in the order shown."""
        return (ClipUse(self.clip),) if self.clip else self.clips


@dataclass(frozen=True)
class ClipFile:
    """One clip of an unpacked release."""

    key: str
    path: Path
    trajectory: Path | None = None
    facts: Mapping[str, object] = field(default_factory=dict)  # profile, seed, index, parameters of a made clip


@dataclass(frozen=True)
class Release:
    """What an importer found: clips, questions and what is odd about the folder (where, what)."""

    clips: tuple[ClipFile, ...]
    rows: tuple[ItemRow, ...]
    problems: tuple[tuple[str, str], ...] = ()
    origin: str = "official"  # or "generated"
    profile: str = ""
    texts: tuple[Path, ...] = ()  # label files beside the clips, part of what the pack is
    root: Path = Path()  # official paths are relative to this folder


@dataclass(frozen=True)
class FacetValue:
    """One value of a facet as pages and exports name it."""

    value: str
    title: str
    number: int | None = None
    caution: str = ""
    level: str = ""  # the only level that has it, '' = any
    part_of: str = ""  # the value that takes it in: the three orderings make up "Ordering"
    concepts: tuple[str, ...] = ()  # what it tests


@dataclass(frozen=True)
class Facet:
    """A property that boards group by."""

    name: str
    title: str
    values: tuple[FacetValue, ...]


@dataclass(frozen=True)
class Level:
    """A part of a benchmark with boards of its own; `number` is what the address says (`level=1`)."""

    number: str
    title: str
    about: str
    groups: tuple[str, ...]  # facets that its board may group by, the first is the default
    strategies: tuple[str, ...]  # the first is the default
    chance: float | None = 0.5
    printed: str = ""  # what the paper's figures are where they are no accuracy
    dimensions: tuple[str, ...] = ()  # what a referee scores, () = answers are right or wrong


@dataclass(frozen=True)
class StrategyName:
    """How pages and exports name a strategy; its code lives in evaluation/prompting.py under the same name."""

    name: str
    title: str  # in a reader's words: "yes/no", "after a look"
    paper: str  # the paper's term
    level: str
    kinds: tuple[str, ...]  # question kinds that it asks
    ours: bool = False  # the wording is ours, not the paper's
    condition: str = "video"
    splits: tuple[str, ...] = ("all",)  # which splits it can be asked on, the first is the default
    chances: Mapping[str, float] = field(default_factory=dict)  # column -> chance, where columns differ
    parser: str = ""  # how its replies are read, '' = the benchmark's first parser
    version: str = "1"  # of the wording; a change of it could move a score


# What an answerer was given. People and models share the names.
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
}
FRAME_CONTROLS = ("first-frame", "middle-frame", "last-frame", "shuffled-frames", "question-only")
SIGHT = ("video", *FRAME_CONTROLS)
SOUND = ("audio", "no-audio", "silent-one", "flipped-audio")


@dataclass(frozen=True)
class Benchmark:
    """Everything that is stated about one benchmark. Bump `version` whenever a change could move a score."""

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
    published: tuple[PublishedRow, ...] = ()  # the rows that boards show
    tables: tuple[PrintedTable, ...] = ()  # the papers' tables whole, boards or not
    made_policy: str = ""  # who may see clips that were made here, in the words of `media_policy`; '' = the same
    kinds: tuple[FacetValue, ...] = ()  # question kinds as pages name them
    scoring: tuple[str, ...] = ()  # how it is scored, a sentence a line
    defects: tuple[Defect, ...] = ()
    homepage: str = ""
    is_released: bool = True  # False: packs that were not made here are prepared from other data sets' own files
    generate_set: str = ""  # dotted path of the SetMaker of what is made whole, labels last; '' = scene by scene
    generate: str = ""  # dotted path of the scenes that clips are made of, by folder name; '' = can't be made
    audit: str = ""  # dotted path of what derives the labels of made clips again: folder -> clips with findings
    rings: tuple[str, ...] = ()  # two facets that its page draws as rings, the answers outside them
    sheets_by: str = "test"  # the facet whose values have pictures below static/sheets/
    sheets_about: str = ""  # what these show of any pack; '' = moments of clips that were made here
    conditions: tuple[str, ...] = SIGHT  # what an answerer may be given, names of CONDITIONS

    @property
    def can_be_imported(self) -> bool:
        """For templates, which would call `read_release` itself."""
        return self.read_release is not None

    @property
    def has_sound(self) -> bool:
        """Whether answerers may be played the sound of its clips."""
        return set(SOUND) <= set(self.conditions)

    @property
    def can_be_made(self) -> bool:
        """Whether clips of it can be made here."""
        return bool(self.generate or self.generate_set)

    def facet(self, name: str) -> Facet:
        return next(facet for facet in self.facets if facet.name == name)

    def strategy(self, name: str) -> StrategyName:
        return next(strategy for strategy in self.strategies if strategy.name == name)

    def tells_by_level(self, strategy: StrategyName) -> bool:
        """Whether other levels have questions of its kinds, too: then it asks those of its own level alone."""
        return any(one.level != strategy.level and set(one.kinds) & set(strategy.kinds) for one in self.strategies)

    def level(self, number: str) -> Level:
        return next(level for level in self.levels if level.number == number)

    def chance(self, strategy: str, column: str) -> float | None:
        """What guessing scores in this column; None where it is a mixture or not defined."""
        asked = self.strategy(strategy)
        if asked.chances:
            return asked.chances.get(column)
        return self.level(asked.level).chance

    def conditions_of(self, strategy: str) -> tuple[str, ...]:
        """What an answerer may be given under this strategy: one that tells in words what is seen knows no other."""
        own = self.strategy(strategy).condition
        return (own,) if own == "text" else tuple(name for name in self.conditions if name != "text")

    @property
    def kinds_with_clips(self) -> tuple[str, ...]:
        """Question kinds that some strategy asks about clips; the others are told in words."""
        shown = (strategy for strategy in self.strategies if strategy.condition != "text")
        return tuple(dict.fromkeys(kind for strategy in shown for kind in strategy.kinds))

    def parser_of(self, strategy: str) -> str:
        """The parser that reads this strategy's replies unless another is asked for."""
        return self.strategy(strategy).parser or self.parsers[0]
