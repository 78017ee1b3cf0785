"""Giraffe-Bench: what a sequence of pictures leads to, told in free text and scored by a referee."""

from benchmarks.definition import SIGHT, Benchmark, Facet, FacetValue, Level, StrategyName
from benchmarks.published import DATA, defects, printed_tables, rows_of_tables

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
        groups=("test", "scenario"),
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
)

STRATEGIES = (
    StrategyName("patterns-images", "pictures in a row", "image query", "1", ("images",)),
    StrategyName("patterns-video", "as a video", "video query", "1", ("video",)),
    StrategyName("activity-images", "pictures in a row", "image query", "2", ("images",)),
    StrategyName("activity-video", "as a video", "video query", "2", ("video",)),
    StrategyName("activity-text", "told in words", "text only", "2", ("told",), ours=True, condition="text"),
    StrategyName("physics-images", "pictures in a row", "image query", "3", ("images",)),
    StrategyName("physics-video", "as a video", "video query; RoboSet's reconstructed", "3", ("video",), ours=True),
)

DATASETS = (
    FacetValue("human-made", "Patterns made by people", level="1"),
    FacetValue("automated", "Patterns made by scripts", level="1"),
    FacetValue("activitynet", "ActivityNet Captions", level="2"),
    FacetValue("charades", "Charades", level="2"),
    FacetValue("clevrer", "CLEVRER", level="3"),
    FacetValue("roboset", "RoboSet (Teleoperation)", level="3"),
)

# The eight that the paper names; it says ten and leaves the last two to the reader.
SCENARIOS = (
    FacetValue("clock", "Digital clocks", level="1"),
    FacetValue("snake", "Snake", level="1"),
    FacetValue("quantity", "Item quantity changes", level="1"),
    FacetValue("number", "Numerical variations", level="1"),
    FacetValue("rotation", "Object rotations", level="1"),
    FacetValue("trajectory", "Trajectory movements", level="1"),
    FacetValue("tetris", "Tetris", level="1"),
    FacetValue("shadow", "Shadow rotations", level="1"),
)

TABLES = printed_tables(DATA / "giraffe" / "tables.json")

GIRAFFE = Benchmark(
    slug="giraffe",
    title="Giraffe-Bench",
    question="Can a model tell what a sequence of pictures leads to?",
    about="Pictures in a row, or the video that they are from, and one question: what comes next? The patterns are"
    " abstract, the activities are people's, the interactions are of objects and a robot's arm. Answers are free text.",
    version="1.0",
    citation=CITATION,
    licence="none stated",
    homepage="https://github.com/CoderJ-ONE/Giraffe-Bench",
    media_policy="none",  # no licence came with it; the data sets that it draws on have licences of their own
    kinds=(
        FacetValue("images", "Pictures in a row"),
        FacetValue("video", "A video"),
        FacetValue("told", "Told in words", level="2"),
    ),
    levels=LEVELS,
    facets=(
        Facet("level", "Task", tuple(FacetValue(level.number, level.title) for level in LEVELS)),
        Facet("test", "Data set", DATASETS),
        Facet("scenario", "Scenario", SCENARIOS),
        Facet("split", "Split", (FacetValue("all", "All questions"),)),
    ),
    strategies=STRATEGIES,
    parsers=("enumerated",),
    splits=("all",),
    protocols=(),
    read_release=None,
    published=rows_of_tables(TABLES),
    tables=TABLES,
    defects=defects(DATA / "giraffe" / "defects.json"),
    scoring=(
        "Replies are free text. A referee, a language model, scores them by the paper's own prompts.",
        "Abstract patterns: accuracy, logical consistency and specificity against the one right answer.",
        "Human activity: plausibility, diversity and specificity of several predictions, with no right answer given.",
        "Physical interaction: a prediction is accurate if any of those listed is right; logical consistency, and for"
        " CLEVRER specificity, are scored beside it.",
        "There is no chance level, and scores of different referees are never averaged.",
    ),
    conditions=(*SIGHT, "text"),
)
