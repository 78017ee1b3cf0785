"""Giraffe-Bench: predict what follows a sequence of pictures, in free text scored by a referee."""

from benchmarks.definitions.definition import (
    SIGHT,
    Benchmark,
    Caveat,
    Facet,
    FacetValue,
    Level,
    PackContents,
    StrategyName,
)
from benchmarks.definitions.giraffe_keys import CHANGES, DATASETS, SCENARIOS
from benchmarks.definitions.importers.giraffe import FIRST_CHOICES, SECOND_CHOICES, THIRD_CHOICES, read_release
from benchmarks.definitions.published_data import DATA, defects, published_tables, rows_of_tables
from benchmarks.definitions.wordings import CHOICES as WORDINGS

CITATION = """\
@misc{zhu2023giraffe,
  title  = {Benchmarking Sequential Visual Input Reasoning and Prediction in Multimodal Large Language Models},
  author = {Zhu, Mingwei and Sha, Leigang and Shu, Yu and Zhao, Kangjia and Zhao, Tiancheng and Yin, Jianwei},
  year   = {2023},
  eprint = {2310.13473},
  archiveprefix = {arXiv}
}
"""

AVERAGES = "averages of a referee's scores by data set, scaled to 100: no accuracy"

LEVELS = (
    Level(
        "1",
        "Abstract patterns",
        "Three to five pictures follow a rule. What is the rule, and what comes next?",
        groups=("test", "scenario", "change"),
        strategies=("patterns-images", "patterns-video"),
        chance=None,
        printed=AVERAGES,
        dimensions=("accuracy", "logical-consistency", "specificity"),
    ),
    Level(
        "2",
        "Human activity",
        "People do something. What may they do next?",
        groups=("test",),
        strategies=("activity-images", "activity-video", "activity-text"),
        chance=None,
        printed=AVERAGES,
        dimensions=("plausibility", "diversity", "specificity"),
    ),
    Level(
        "3",
        "Physical interaction",
        "Objects or a robot's arm move. What will collide, what will the arm do next?",
        groups=("test",),
        strategies=("physics-images", "physics-video"),
        chance=None,
        printed=AVERAGES,
        dimensions=("accuracy", "logical-consistency", "specificity"),
    ),
    Level(
        "4",
        "Abstract patterns, four to choose from",
        "The same pictures, and four that may come next: one does. Ours, scored without a referee.",
        groups=("test", "scenario", "change"),
        strategies=("patterns-choice", "patterns-choice-constrained", "patterns-choice-wordings"),
        chance=0.25,
    ),
)

FOUR = StrategyName(
    "patterns-choice", "multiple choice", "not in the paper", "4", ("choice",), ours=True, parser="choice-letter"
)
STRATEGIES = (
    StrategyName("patterns-images", "image sequence", "image query", "1", ("images",)),
    StrategyName("patterns-video", "video", "video query", "1", ("video",)),
    StrategyName("activity-images", "image sequence", "image query", "2", ("images",)),
    StrategyName("activity-video", "video", "video query", "2", ("video",)),
    StrategyName("activity-text", "text-only", "text only", "2", ("told",), ours=True, condition="text"),
    StrategyName("physics-images", "image sequence", "image query", "3", ("images",)),
    StrategyName("physics-video", "video", "video query; RoboSet's reconstructed", "3", ("video",), ours=True),
    FOUR,
    FOUR.as_constrained,
    FOUR.in_wordings(WORDINGS),
)

TELLING_CHOICES = (
    "The four choices of this pack tell more than they should (version 1): a rule that knows no pattern, which leaves"
    " out pictures shown before and takes the choice that looks most like the others, is right in 47 % of made items"
    " (chance 25 %, n = 480). Packs made now have choices for which 13 such rules stay at chance."
)
TELLING_SNAKES = (
    "Inside one scenario of this pack the four choices tell more than they should (version 2): in `snake`, the new"
    " choice that looks most like the last shown picture is right in 51 % (chance 25 %, n = 96). Packs made now have"
    " choices for which 13 such rules stay at chance in 480 items of all scenarios."
)
TELLING_INSIDE = (
    "Inside four scenarios the four choices of this pack tell more than they should (version 3): the one with most of"
    " the commonest colour is right in 44 % of `colour`; of the choices that were not shown before, the one most like"
    " all shown pictures in 36 % of `snake` and 34 % of `clock`, the one most like the other choices in 34 % of"
    " `quantity` (chance 25 %, n = 288 each). Packs made now have choices for which 13 such rules stay at chance inside"
    " each scenario, too."
)


def caveats(contents: PackContents) -> tuple[Caveat, ...]:
    """Made patterns have choices that tell: much before 1.2 (or in a folder begun before), little before 1.4."""
    version = contents.definition_version if contents.origin == "generated" else ""
    if contents.profile == FIRST_CHOICES or version in ("1.0", "1.1"):
        return (Caveat(TELLING_CHOICES, level="4"),)
    if contents.profile == SECOND_CHOICES or version == "1.2":
        return (Caveat(TELLING_SNAKES, level="4"),)
    return (Caveat(TELLING_INSIDE, level="4"),) if contents.profile == THIRD_CHOICES or version == "1.3" else ()


TABLES = published_tables(DATA / "giraffe" / "tables.json")

GIRAFFE = Benchmark(
    slug="giraffe",
    title="Giraffe-Bench",
    question="Can a model tell what a sequence of pictures leads to?",
    about="An image sequence, or the video that it is from, and one question: what comes next? The patterns are"
    " abstract, the activities are people's, the interactions are of objects and a robot's arm. Answers are free text.",
    version="1.4",
    citation=CITATION,
    licence="none stated",
    homepage="https://github.com/CoderJ-ONE/Giraffe-Bench",
    is_released=False,
    # The media belong to other data sets with licences of their own; what is generated here is public.
    media_policy="none",
    made_policy="public",
    kinds=(
        FacetValue("images", "Image sequence"),
        FacetValue("video", "A video"),
        FacetValue("told", "Text-only", level="2"),
        FacetValue("choice", "Four to choose from", level="4"),
    ),
    levels=LEVELS,
    facets=(
        Facet("level", "Task", tuple(FacetValue(level.number, level.title) for level in LEVELS)),
        Facet("test", "Data set", DATASETS),
        Facet("scenario", "Scenario", SCENARIOS),
        Facet("change", "What changes", CHANGES, tells=True),  # reveals the pattern to be found
        Facet("split", "Split", (FacetValue("all", "All questions"),)),
    ),
    strategies=STRATEGIES,
    parsers=("enumerated", "choice-letter"),
    splits=("all",),
    protocols=("giraffe-rating", "giraffe-choice"),
    read_release=read_release,
    generate_set="benchmarks.generation.set_makers.GiraffePatterns",
    published=rows_of_tables(TABLES),
    tables=TABLES,
    caveats=caveats,
    defects=defects(DATA / "giraffe" / "defects.json"),
    scoring=(
        "Replies are free text. A referee, a language model, scores them by the paper's own prompts.",
        "Abstract patterns: accuracy, logical consistency and specificity against the one right answer.",
        "Human activity: plausibility, diversity and specificity of several predictions, with no right answer given.",
        "Physical interaction: a prediction is accurate if any of those listed is right; logical consistency, and for"
        " CLEVRER specificity, are scored beside it.",
        "Four to choose from, which is ours, has one right picture and needs no referee; guessing scores 25 %.",
        "Elsewhere there is no chance level, and scores of different referees are never averaged.",
    ),
    conditions=(*SIGHT, "text"),
)
