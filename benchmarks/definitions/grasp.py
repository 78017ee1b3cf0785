"""GRASP: language grounding and intuitive physics in simulated 3-D videos."""

from benchmarks.definitions.definition import SIGHT, Benchmark, Facet, FacetValue, Level, StrategyName
from benchmarks.definitions.grasp_tables import write_tables
from benchmarks.definitions.grasp_tests import CONCEPTS, DEFLECTION, LEVEL_1, LEVEL_2
from benchmarks.definitions.importers.grasp import read_release
from benchmarks.definitions.importers.grasp_layout import twin_key
from benchmarks.definitions.published_data import DATA, defects, published_rows, tables_of_rows
from benchmarks.definitions.wordings import GRASP as WORDINGS

CITATION = """\
@inproceedings{jassim2024grasp,
  title     = {{GRASP}: A Novel Benchmark for Evaluating Language {GR}ounding and Situated Physics
               Understanding in Multimodal Language Models},
  author    = {Jassim, Serwan and Holubar, Mario and Richter, Annika and Wolff, Cornelius
               and Ohmer, Xenia and Bruni, Elia},
  booktitle = {Proceedings of the Thirty-Third International Joint Conference on Artificial Intelligence (IJCAI-24)},
  year      = {2024},
  eprint    = {2311.09048},
  archiveprefix = {arXiv}
}
"""

VIDEO_SPLITS = ("all", "paper", "human")
OPEN_CHANCES = {"Shape": 0.5, "Color": 0.25, "Direction": 0.25, "RelationalPosition": 0.5}

ASKED = (
    StrategyName("binary", "zero-shot", "zero-shot, binary", "1", ("binary",), splits=VIDEO_SPLITS),
    StrategyName("binary-cot", "chain-of-thought", "chain-of-thought", "1", ("binary",), splits=VIDEO_SPLITS),
    StrategyName("binary-oneshot", "one-shot", "one-shot", "1", ("binary",), splits=VIDEO_SPLITS),
    StrategyName(
        "open", "open-ended", "zero-shot, multi-class", "1", ("open",), splits=VIDEO_SPLITS, chances=OPEN_CHANCES
    ),
    StrategyName("plausibility", "zero-shot", "zero-shot, binary", "2", ("plausibility",), splits=VIDEO_SPLITS),
    StrategyName(
        "plausibility-cot",
        "chain-of-thought",
        "chain-of-thought",
        "2",
        ("plausibility",),
        ours=True,
        splits=VIDEO_SPLITS,
    ),
    StrategyName(
        "plausibility-oneshot", "one-shot", "one-shot", "2", ("plausibility",), ours=True, splits=VIDEO_SPLITS
    ),
    StrategyName("text", "text-only", "text only", "2", ("text",), condition="text", splits=("official", "appendix-h")),
)
PLAIN = tuple(way for way in ASKED if way.name in ("binary", "plausibility", "text"))
VARIANTS = (
    *(way.with_likelihood for way in PLAIN),
    *(way.as_constrained for way in PLAIN),
    *(way.in_wordings(WORDINGS) for way in PLAIN),
)
SURPRISE = StrategyName(
    "surprise",
    "surprise, without words",
    "not in the paper",
    "2",
    ("plausibility",),
    splits=VIDEO_SPLITS,
    parser="surprise",
    by_surprise=True,
)
MOMENT = StrategyName(
    "moment",
    "when did it break?",
    "not in the paper",
    "2",
    ("plausibility",),
    ours=True,
    splits=VIDEO_SPLITS,
    parser="moment",
    by_moment=True,
)
TWINS = StrategyName(
    "twins",
    "which of two",
    "not in the paper",
    "2",
    ("plausibility",),
    ours=True,
    splits=VIDEO_SPLITS,
    parser="which-of-two",
    with_twin=True,
)
STRATEGIES = (*ASKED, *VARIANTS, SURPRISE, MOMENT, TWINS)

LEVELS = (
    Level(
        "1",
        "Grounding",
        "Does it see what is there? Shape, colour, place, order and motion of simple objects.",
        groups=("test",),
        strategies=(
            *("binary", "binary-cot", "binary-oneshot", "open"),
            *("binary-likelihood", "binary-constrained", "binary-wordings"),
        ),
    ),
    Level(
        "2",
        "Intuitive physics",
        "Does it notice what cannot happen? Sixteen experiments from the psychology of infants, each filmed as it"
        " happens on earth and as it cannot.",
        groups=("test", "telltale", "concept"),
        strategies=(
            *("plausibility", "plausibility-cot", "plausibility-oneshot", "text"),
            *("plausibility-likelihood", "text-likelihood", "plausibility-constrained", "text-constrained"),
            *("plausibility-wordings", "text-wordings", "twins"),
        ),
    ),
)

TESTS = (
    *(FacetValue(test.name, test.title, level="1", part_of="Ordering" if test.objects else "") for test in LEVEL_1),
    FacetValue("Ordering", "Ordering (avg.)", level="1"),
    *(
        FacetValue(test.name, test.title, test.number, test.caution, level="2", concepts=test.concepts)
        for test in LEVEL_2
    ),
)

FACETS = (
    Facet("level", "Level", tuple(FacetValue(level.number, level.title) for level in LEVELS)),
    Facet("test", "Test", TESTS),
    Facet("concept", "Concept", tuple(FacetValue(concept, concept.capitalize(), level="2") for concept in CONCEPTS)),
    Facet(
        "polarity",
        "Polarity",
        (
            FacetValue("positive", "True statement", level="1"),
            FacetValue("negative", "False statement", level="1"),
            FacetValue("plausible", "Plausible", level="2"),
            FacetValue("implausible", "Implausible", level="2"),
        ),
        tells=True,
    ),
    Facet(
        "caution",
        "Caution",
        (
            FacetValue(
                DEFLECTION,
                "Deflection angle",
                8,
                "People could not tell the angles apart in this test, the authors say; it can be left out.",
                level="2",
            ),
        ),
    ),
    Facet(
        "telltale",
        "Telltale",
        (
            FacetValue("long", "Telltale of 0.5 s or more", level="2"),
            FacetValue("short", "Telltale under 0.5 s", level="2"),
        ),
    ),
    Facet(
        "split",
        "Split",
        (
            FacetValue("all", "All clips"),
            FacetValue("paper", "Paper-sized subset"),
            FacetValue("human", "Shown to people", level="2"),
            FacetValue("official", "The official 28 descriptions", level="2"),
            FacetValue("appendix-h", "All 32 descriptions of Appendix H", level="2"),
        ),
    ),
)

PUBLISHED = published_rows(DATA / "grasp" / "published.json")

GRASP = Benchmark(
    slug="grasp",
    title="GRASP",
    question="Does a model see what a video shows, and does it notice what cannot happen?",
    about="Simulated 3-D videos of four to ten seconds. Level 1 asks what is there: shapes, colours, places, orders and"
    " motion. Level 2 shows sixteen experiments on eight concepts of intuitive physics, each as it happens on earth"
    " and as it cannot, and asks whether it is plausible.",
    version="1.0",
    citation=CITATION,
    licence="MIT",
    homepage="https://github.com/i-machine-think/grasp",
    media_policy="public",
    kinds=(
        FacetValue("binary", "Statement, true or not", level="1"),
        FacetValue("open", "Open question", level="1"),
        FacetValue("plausibility", "Plausible or not", level="2"),
        FacetValue("text", "Text-only, no clip", level="2"),
    ),
    levels=LEVELS,
    facets=FACETS,
    strategies=STRATEGIES,
    parsers=("grasp-paper", "grasp-official", "last-answer-line", "likelihood", "surprise", "moment", "which-of-two"),
    splits=("all", "paper", "human", "official", "appendix-h"),
    protocols=("grasp-plausibility", "grasp-grounding", "grasp-twins", "grasp-moment", "grasp-frames"),
    read_release=read_release,
    published=PUBLISHED,
    tables=tables_of_rows(PUBLISHED),
    defects=defects(DATA / "grasp" / "defects.json"),
    scoring=(
        "A yes/no answer counts when the reply begins with yes or no; the rest of the reply is not looked at.",
        "A reply to an open question counts when it holds a word for the true answer and none for another.",
        "What cannot be read counts as wrong, and its share is shown.",
        "Each Level-1 clip is asked twice, with a true and a false statement; guessing scores 50 %. In open questions"
        " it scores 50 % for shape and relational position, 25 % for colour and directionality.",
        "Overall is over questions, never a mean of columns; a test of two concepts counts in both.",
    ),
    generate="scenes.registry.SCENES",
    write_official=write_tables,
    audit="scenes.audit.audit_folder",
    twin_key=twin_key,
    conditions=(*SIGHT, "text"),
)
