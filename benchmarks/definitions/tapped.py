"""Tapped: our own audiovisual benchmark in PACS' layout, generated here, so that everything can be tried."""

from benchmarks.definitions.definition import (
    AUDIO_ONLY,
    SIGHT,
    SOUND,
    Benchmark,
    Facet,
    FacetValue,
    Level,
    StrategyName,
)
from benchmarks.definitions.importers.pacs import read_tapped
from benchmarks.definitions.importers.pacs_facets import possible_pairs
from benchmarks.definitions.pacs import PROPERTIES, variants

CITATION = """\
@misc{benchsite-tapped,
  title        = {Tapped: objects that are struck, dropped, scraped and rolled, to be seen and heard},
  howpublished = {Made by benchsite, generate\\_benchmark tapped},
  note         = {Our own, in the layout of PACS}
}
"""

SPLITS = ("all", "test", "val", "train")
MATERIALS = ("wood", "metal", "glass", "ceramic", "plastic", "rubber", "foam", "paper", "stone", "textile")
CHANNELS = {"sound": "Sound alone", "sight": "Sight alone", "both": "Either"}


def _strategy(name: str, title: str, level: str, kind: str, parser: str = "") -> StrategyName:
    return StrategyName(name, title, "our own", level, (kind,), ours=True, splits=SPLITS, parser=parser, version="3")


PAIR, MATERIAL = _strategy("pair", "direct", "1", "pair"), _strategy("material", "direct", "2", "material")
STRATEGIES = (
    PAIR,
    _strategy("pair-cot", "chain-of-thought", "1", "pair", "last-answer-line"),
    MATERIAL,
    _strategy("material-cot", "chain-of-thought", "2", "material", "last-answer-line"),
    *variants(PAIR),
    *variants(MATERIAL),
)

LEVELS = (
    Level(
        "1",
        "Tapped",
        "Two objects, each in a clip with sound, and a question of physical common sense: which one?",
        groups=("channel", "test", "material", "material-pair", "property"),
        strategies=("pair", "pair-cot", "pair-likelihood", "pair-constrained", "pair-wordings"),
    ),
    Level(
        "2",
        "Tapped-material",
        "The same pairs, asked only for what they are made of.",
        groups=("channel", "test", "material", "material-pair"),
        strategies=("material", "material-cot", "material-likelihood", "material-constrained", "material-wordings"),
    ),
)

FACETS = (
    Facet("level", "Part", tuple(FacetValue(level.number, level.title) for level in LEVELS)),
    Facet(
        "test",
        "Subset",
        (FacetValue("tapped", "Tapped", level="1"), FacetValue("tapped-material", "Tapped-material", level="2")),
    ),
    Facet("channel", "Required modality", tuple(FacetValue(*pair) for pair in CHANNELS.items())),
    Facet("material", "Materials present", tuple(FacetValue(name, name.capitalize()) for name in MATERIALS)),
    Facet(
        "material-pair",
        "Material pair",
        tuple(FacetValue(pair, pair.capitalize()) for pair in possible_pairs(MATERIALS)),
    ),
    Facet(
        "property",
        "Property",
        tuple(FacetValue(*pair, level="1") for pair in (PROPERTIES | {"other": "Another"}).items()),
    ),
    Facet(
        "split",
        "Split",
        (
            FacetValue("all", "All questions"),
            FacetValue("test", "Test"),
            FacetValue("val", "Validation"),
            FacetValue("train", "Training"),
        ),
    ),
)

TAPPED = Benchmark(
    slug="tapped",
    title="Tapped",
    question="Can a model tell two objects apart by what it hears when they are struck, or by what it sees?",
    about="A benchmark of our own in PACS' layout. Objects of ten materials are tapped, dropped, scraped or rolled;"
    " picture and sound come from one simulation. Some pairs look alike and sound different, some the other way round,"
    " and every question says which channel decides it.",
    version="1.2",  # shapes that people name, two rooms, three lights, EBU R128; 1.1 is `--staging 1`
    citation=CITATION,
    licence="MIT",
    media_policy="public",
    kinds=(
        FacetValue("pair", "Which of two objects", level="1"),
        FacetValue("material", "Which is made of it", level="2"),
    ),
    levels=LEVELS,
    facets=FACETS,
    strategies=STRATEGIES,
    parsers=("pacs-object", "last-answer-line", "likelihood"),
    splits=SPLITS,
    protocols=("tapped-audio",),
    read_release=read_tapped,
    generate_set="benchmarks.generation.set_makers.TappedPairs",
    audit="scenes.tapped.auditing.audit_folder",
    scoring=(
        "A reply counts when it names the right one of object 1 and object 2, and does not name both.",
        "What cannot be read counts as wrong, and its share is shown.",
        "Overall is over questions, not over pairs; guessing scores 50 %.",
        "Answers come from the objects' true properties, not from what anybody thought.",
    ),
    conditions=(*SIGHT, *SOUND, AUDIO_ONLY),
    clusters="dyad",
)
