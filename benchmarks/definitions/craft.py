"""CRAFT: causal reasoning about forces and interactions in simulated 2-D scenes."""

from benchmarks.definitions.craft_prompts import COLORS, SHAPES, TRUTH
from benchmarks.definitions.definition import Benchmark, Caveat, Facet, FacetValue, Level, PackContents, StrategyName
from benchmarks.definitions.importers.craft import read_release
from benchmarks.definitions.published_data import DATA, defects, published_tables, rows_of_tables
from benchmarks.definitions.wordings import CRAFT as WORDINGS

CITATION = """\
@inproceedings{ates2022craft,
  title     = {{CRAFT}: A Benchmark for Causal Reasoning About Forces and inTeractions},
  author    = {Ates, Tayfun and Atesoglu, M. Samil and Yigit, Cagatay
               and Kesen, Ilker and Kobas, Mert and Erdem, Erkut and Erdem, Aykut and Goksun, Tilbe and Yuret, Deniz},
  booktitle = {Findings of the Association for Computational Linguistics: ACL 2022},
  year      = {2022},
  eprint    = {2012.04293},
  archiveprefix = {arXiv}
}
"""

SPLITS = ("easy-test", "hard-test", "easy-validation", "hard-validation", "easy-train", "hard-train", "all")
# Chance by answer type; counts have no fixed number of possible answers, and mixed columns no single chance.
CHANCES = {"Boolean": 1 / len(TRUTH), "Shape": 1 / len(SHAPES), "Color": 1 / len(COLORS)}

DIRECT = StrategyName(
    "craft", "direct", "not in the paper", "1", ("question",), ours=True, splits=SPLITS, chances=CHANCES
)
STRATEGIES = (
    DIRECT,
    StrategyName(
        "craft-cot",
        "chain-of-thought",
        "not in the paper",
        "1",
        ("question",),
        ours=True,
        splits=SPLITS,
        chances=CHANCES,
        parser="last-answer-line",
    ),
    DIRECT.with_likelihood,
    DIRECT.as_constrained,
    DIRECT.in_wordings(WORDINGS),
)

LEVELS = (
    Level(
        "1",
        "Forces and interactions",
        "What happens, what would happen were an object gone, and what causes, enables or prevents what.",
        groups=("test", "answer", "scene", "template"),
        strategies=("craft", "craft-cot", "craft-likelihood", "craft-constrained", "craft-wordings"),
        chance=None,
    ),
)

QUESTION_TYPES = ("Descriptive", "Counterfactual", "Cause", "Enable", "Prevent")

# The 48 templates: the name of the template file and the index in it.
TEMPLATES = tuple(
    f"{name}_{place}"
    for name, places in (
        ("descriptive", (*range(12), *range(16, 20), *range(22, 30), *range(32, 36), 38, 39)),
        ("counterfactual", (0, 1, 3, 4, 6, 7)),
        ("cause", (0, 1, 3, 4)),
        ("enable", (0, 1, 3, 4)),
        ("prevent", (0, 1, 3, 4)),
    )
    for place in places
)

FACETS = (
    Facet("level", "Part", tuple(FacetValue(level.number, level.title) for level in LEVELS)),
    Facet("test", "Question type", tuple(FacetValue(name, name, level="1") for name in QUESTION_TYPES)),
    Facet(
        "answer",  # only the type, which the options show anyway; it doesn't reveal the answer
        "Answer type",
        (
            FacetValue("Boolean", "True or false"),
            FacetValue("Count", "A number"),
            FacetValue("Shape", "A shape"),
            FacetValue("Color", "A colour"),
        ),
    ),
    Facet("scene", "Scene", tuple(FacetValue(f"scene-{number}", f"Scene {number}") for number in range(1, 21))),
    Facet("template", "Template", tuple(FacetValue(name, name) for name in TEMPLATES)),
    Facet(
        "split",
        "Split",
        (
            FacetValue("easy-test", "Easy setting, test"),
            FacetValue("hard-test", "Hard setting, test"),
            FacetValue("easy-validation", "Easy setting, validation"),
            FacetValue("hard-validation", "Hard setting, validation"),
            FacetValue("easy-train", "Easy setting, training"),
            FacetValue("hard-train", "Hard setting, training"),
            FacetValue("all", "All questions"),
        ),
    ),
)

PAPER_BOOLEANS, PAPER_A_VIDEO = 0.61, 5.8  # share of true-or-false questions (Table 1, row MFA); 58K of 10K videos
OFF = 0.03  # a share of true-or-false questions that is farther from the paper's makes another test


def caveats(contents: PackContents) -> tuple[Caveat, ...]:
    """Small packs have other shares of kinds of answers than the paper."""
    if not contents.questions or not contents.videos:
        return ()
    booleans = contents.counts.get(("answer", "Boolean"), 0) / contents.questions
    if abs(booleans - PAPER_BOOLEANS) <= OFF:
        return ()
    text = (
        f"Scores on this pack do not compare with the paper's Table 1: {100 * booleans:.0f} % of its"
        f" {contents.questions:,} questions are true or false, in the paper about {100 * PAPER_BOOLEANS:.0f} %; it has"
        f" {contents.questions / contents.videos:.1f} questions a video, the paper {PAPER_A_VIDEO:.1f}."
        " Chance and the heuristics differ with it."
    )
    return (Caveat(text),)


TABLES = published_tables(DATA / "craft" / "tables.json")

CRAFT = Benchmark(
    slug="craft",
    title="CRAFT",
    question="Does a model understand which object causes, enables or prevents what in a video?",
    about="Simulated 2-D videos of ten seconds in twenty scenes of ramps, platforms and a basket. 48 kinds of questions"
    " ask what happens, what would happen if an object were removed, and what causes, enables or prevents what."
    " In the hard setting the scenes of the test are not those of the training.",
    version="1.0",
    citation=CITATION,
    licence="MIT",
    homepage="https://github.com/hucvl/craft",
    media_policy="public",
    kinds=(FacetValue("question", "Question on a scene", level="1"),),
    levels=LEVELS,
    facets=FACETS,
    strategies=STRATEGIES,
    parsers=("craft-vocabulary", "last-answer-line", "likelihood"),
    splits=SPLITS,
    protocols=("craft-five-part",),
    read_release=read_release,
    generate_set="benchmarks.generation.set_makers.CraftVideos",
    audit="scenes.craft.audit.audit_folder",
    rings=("test", "answer"),
    sheets_by="scene",
    sheets_about="The fixed parts of each scene, as in the paper's Figure 2: black in the middle of every range"
    " that they are drawn from, grey at both ends.",
    published=rows_of_tables(TABLES),
    tables=TABLES,
    caveats=caveats,
    caveat_facets=("answer",),
    defects=defects(DATA / "craft" / "defects.json"),
    scoring=(
        "A reply counts when it names the one right answer and no other possible one: true or false (yes and no are"
        " taken for them), a shape, a colour or a number.",
        "What cannot be read counts as wrong, and its share is shown.",
        "Overall is over questions, as the official scorer has it, never a mean of the question types.",
        "Chance is 50 % where the answer is true or false, 33.3 % for shapes and 12.5 % for colours; counts and"
        " question types, which mix answer types, have no one chance.",
        "The paper's models were trained on the benchmark; a model that was not is asked in words of ours.",
    ),
)
