"""PACS: physical common sense about two objects, each shown in a clip with sound."""

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
from benchmarks.definitions.importers.pacs import read_release
from benchmarks.definitions.importers.pacs_facets import possible_pairs
from benchmarks.definitions.published_data import DATA, defects, published_tables, rows_of_tables
from benchmarks.definitions.wordings import PAIRS as WORDINGS

CITATION = """\
@inproceedings{yu2022pacs,
  title     = {{PACS}: A Dataset for Physical Audiovisual CommonSense Reasoning},
  author    = {Yu, Samuel and Wu, Peter and Liang, Paul Pu and Salakhutdinov, Ruslan and Morency, Louis-Philippe},
  booktitle = {European Conference on Computer Vision (ECCV)},
  year      = {2022},
  eprint    = {2203.11130},
  archiveprefix = {arXiv}
}
"""

SPLITS = ("test", "val", "train", "all")
NOT_PRINTED = "not in the paper"


def _strategy(name: str, title: str, level: str, kind: str, parser: str = "") -> StrategyName:
    return StrategyName(name, title, NOT_PRINTED, level, (kind,), ours=True, splits=SPLITS, parser=parser, version="3")


def variants(way: StrategyName) -> tuple[StrategyName, ...]:
    """The further ways to ask a strategy's questions."""
    return (way.with_likelihood, way.as_constrained, way.in_wordings(WORDINGS))


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
        "PACS",
        "Two objects, each in a clip with sound, and a question of physical common sense: which one?",
        groups=("test", "material", "material-pair", "property"),
        strategies=("pair", "pair-cot", "pair-likelihood", "pair-constrained", "pair-wordings"),
    ),
    Level(
        "2",
        "PACS-material",
        "The same pairs, asked only for what they are made of.",
        groups=("test", "material", "material-pair"),
        strategies=("material", "material-cot", "material-likelihood", "material-constrained", "material-wordings"),
    ),
)

# The paper's ten reporting categories and the release's six stated properties.
MATERIALS = ("Natural", "Rubber", "Foam", "Paper", "Glass", "Textiles", "Stone", "Metal", "Plastic", "Other")
PROPERTIES = {
    "size": "Size",
    "shape": "Shape",
    "weight": "Weight",
    "hard": "Hardness",
    "flex": "Flexibility",
    "strength": "Strength",
    "other": "Another, as annotators typed it",
    "none": "Not recorded",
}

FACETS = (
    Facet("level", "Part", tuple(FacetValue(level.number, level.title) for level in LEVELS)),
    Facet(
        "test",
        "Subset",
        (FacetValue("pacs", "PACS", level="1"), FacetValue("pacs-material", "PACS-material", level="2")),
    ),
    Facet("material", "Materials present", tuple(FacetValue(name, name) for name in MATERIALS)),
    Facet("material-pair", "Material pair", tuple(FacetValue(pair, pair) for pair in possible_pairs(MATERIALS))),
    Facet("property", "Property", tuple(FacetValue(*pair, level="1") for pair in PROPERTIES.items())),
    Facet(
        "split",
        "Split",
        (
            FacetValue("test", "Test"),
            FacetValue("val", "Validation"),
            FacetValue("train", "Training"),
            FacetValue("all", "All questions"),
        ),
    ),
)

TABLES = published_tables(DATA / "pacs" / "tables.json")

PACS = Benchmark(
    slug="pacs",
    title="PACS",
    question="Can a model tell from sight and sound which of two objects fits a question better?",
    about="Pairs of short clips with sound, each showing one object, and questions of physical common sense whose"
    " answer is one of the two. PACS-material asks of the same pairs what they are made of.",
    version="1.0",
    citation=CITATION,
    licence="MIT",
    homepage="https://github.com/samuelyu2002/PACS",
    media_policy="participants",  # the annotations are MIT; the clips are from YouTube and belong to others
    kinds=(
        FacetValue("pair", "Which of two objects", level="1"),
        FacetValue("material", "Which is made of it", level="2"),
    ),
    levels=LEVELS,
    facets=FACETS,
    strategies=STRATEGIES,
    parsers=("pacs-object", "last-answer-line", "likelihood"),
    splits=SPLITS,
    protocols=("pacs-audio",),
    read_release=read_release,
    published=rows_of_tables(TABLES),
    tables=TABLES,
    defects=defects(DATA / "pacs" / "defects.json"),
    scoring=(
        "A reply counts when it names the right one of object 1 and object 2, and does not name both.",
        "What cannot be read counts as wrong, and its share is shown.",
        "Overall is over questions, not over pairs; guessing scores 50 %.",
        "The answers to the official test questions of PACS are withheld; PACS-material comes with its answers.",
        "The paper's models were trained on the benchmark; a model that was not is asked in words of ours.",
    ),
    conditions=(*SIGHT, *SOUND, AUDIO_ONLY),
    clusters="dyad",
)
