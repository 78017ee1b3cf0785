"""The concepts of physics that the benchmarks test, with studies of infants and the tests of each."""

from dataclasses import dataclass

from benchmarks.definitions.papers.grasp_tests import LEVEL_2
from benchmarks.errors import UnknownConcept

WHOLE = "overall"  # the value of a test whose figure is that of a whole level


@dataclass(frozen=True)
class ConceptTest:
    """Columns of one board about a concept: values of the facet by which the board groups, or `WHOLE`."""

    benchmark: str
    level: str
    group: str
    values: tuple[str, ...]
    is_part: bool = False  # whether another test of the concept includes these values


@dataclass(frozen=True)
class Concept:
    """One concept across benchmarks. Its sentences claim no more than the papers' texts and reference lists do."""

    slug: str
    title: str
    about: str  # one sentence, as in the paper of `cited_in`
    development: tuple[str, str]  # two sentences on the studies of developmental psychology
    sources: tuple[str, ...]
    cited_in: str  # the place in a benchmark's paper that names these sources
    tests: tuple[ConceptTest, ...]


def _grasp(concept: str) -> tuple[ConceptTest, ...]:
    """GRASP's figure for a concept, and its tests one by one if there are several."""
    whole = ConceptTest("grasp", "2", "concept", (concept,))
    names = tuple(test.name for test in LEVEL_2 if concept in test.concepts)
    return (whole, ConceptTest("grasp", "2", "test", names, is_part=True)) if len(names) > 1 else (whole,)


ORIGINS = (
    "Spelke, Breinlinger, Macomber and Jacobson (1992), Origins of knowledge, Psychological Review 99(4), 605–632."
)
EARLY_MOTION = (
    "Spelke, Katz, Purcell, Ehrlich and Breinlinger (1994), Early knowledge of object motion: continuity and inertia,"
    " Cognition 51(1), 131–176."
)
VISIBLE_MOTION = (
    "Kim and Spelke (1992), Infants' sensitivity to effects of gravity on visible object motion, Journal of"
    " Experimental Psychology: Human Perception and Performance 18(2), 385–393."
)
EFFECTS_OF_GRAVITY = (
    "Kim and Spelke (1999), Perception and understanding of effects of gravity and inertia on object motion,"
    " Developmental Science 2(3), 339–362."
)
REASONING = (
    "Baillargeon (1995), Physical reasoning in infancy, in Gazzaniga (editor), The Cognitive Neurosciences, MIT Press,"
    " 181–204."
)
FIVE_MONTHS = (
    "Baillargeon, Spelke and Wasserman (1985), Object permanence in five-month-old infants, Cognition 20, 191–208."
)
FOUR_MONTHS = (
    "Baillargeon (1987), Object permanence in 3½- and 4½-month-old infants, Developmental Psychology 23(5), 655–664."
)
INDIVIDUATION = (
    "Baillargeon, Stavans, Wu, Gertner, Setoh, Kittredge and Bernard (2012), Object individuation and physical"
    " reasoning in infancy: an integrative account, Language Learning and Development 8(1), 4–46."
)
FORCES = "Wolff and Barbey (2015), Causal reasoning with forces, Frontiers in Human Neuroscience 9:1."
PURE_REASONING = (
    "Téglás, Vul, Girotto, Gonzalez, Tenenbaum and Bonatti (2011), Pure reasoning in 12-month-old infants as"
    " probabilistic inference, Science 332(6033), 1054–1059."
)
NEWBORNS = (
    "Morrongiello, Fenwick and Chance (1998), Crossmodal learning in newborn infants: inferences about properties of"
    " auditory-visual events, Infant Behavior and Development 21(4), 543–553."
)
SHAKE = (
    "Wilcox, Woods, Tuggy and Napoli (2006), Shake, rattle, and … one or two objects? Young infants' use of auditory"
    " information to individuate objects, Infancy 9(1), 97–123."
)
SURPRISE = (
    "Studies of it show infants what can happen and what cannot, and take surprise as the sign that an expectation was"
    " violated."
)
IN_GRASP = "GRASP, Sections 2 and 3.2"

CONTINUITY = Concept(
    slug="continuity",
    title="Continuity",
    about="Objects move along continuous paths; they cannot teleport in space or time.",
    development=(
        "The principle is one of those in “Origins of knowledge” by Spelke et al. (1992).",
        "Spelke et al. (1994) studied it beside inertia, under the title of early knowledge of object motion.",
    ),
    sources=(ORIGINS, EARLY_MOTION),
    cited_in=IN_GRASP,
    tests=_grasp("continuity"),
)
SOLIDITY = Concept(
    slug="solidity",
    title="Solidity",
    about="Objects move along clear paths; no two overlap in space and time.",
    development=(
        "The principle is one of those in “Origins of knowledge” by Spelke et al. (1992).",
        "Experiments can't always tell it from continuity: a ball beyond a barrier may have passed through it or have"
        " teleported behind it.",
    ),
    sources=(ORIGINS,),
    cited_in=IN_GRASP,
    tests=_grasp("solidity"),
)
INERTIA = Concept(
    slug="inertia",
    title="Inertia",
    about="Objects do not alter their motion spontaneously.",
    development=(
        "The principle is one of those in “Origins of knowledge” by Spelke et al. (1992).",
        "Spelke et al. (1994) studied it beside continuity, and Kim and Spelke (1999) beside gravity.",
    ),
    sources=(ORIGINS, EARLY_MOTION, EFFECTS_OF_GRAVITY),
    cited_in=IN_GRASP,
    tests=_grasp("inertia"),
)
GRAVITY = Concept(
    slug="gravity",
    title="Gravity",
    about="Objects without support move downward.",
    development=(
        "Kim and Spelke (1992) studied how sensitive infants are to effects of gravity on motion that they see.",
        "In 1999 they studied how its effects are perceived and understood, beside those of inertia; the principle is"
        " one of those in “Origins of knowledge” (1992).",
    ),
    sources=(VISIBLE_MOTION, EFFECTS_OF_GRAVITY, ORIGINS),
    cited_in=IN_GRASP,
    tests=_grasp("gravity"),
)
COLLISION = Concept(
    slug="collision",
    title="Collision",
    about="An object that is hit by a moving object is displaced.",
    development=("Baillargeon (1995) has the event in a chapter on physical reasoning in infancy.", SURPRISE),
    sources=(REASONING,),
    cited_in=IN_GRASP,
    tests=(*_grasp("collision"), ConceptTest("giraffe", "3", "test", ("clevrer",))),
)
PERMANENCE = Concept(
    slug="object-permanence",
    title="Object permanence",
    about="Objects continue to exist when they are occluded.",
    development=(
        "Baillargeon, Spelke and Wasserman (1985) studied it in infants of five months, Baillargeon (1987) in infants"
        " of three and a half and four and a half months.",
        SURPRISE,
    ),
    sources=(FIVE_MONTHS, FOUR_MONTHS, REASONING),
    cited_in=IN_GRASP,
    tests=_grasp("object permanence"),
)
SUPPORT = Concept(
    slug="support",
    title="Support",
    about="Objects are stable on a platform and lose stability off it.",
    development=("Baillargeon (1995) has the event in a chapter on physical reasoning in infancy.", SURPRISE),
    sources=(REASONING,),
    cited_in=IN_GRASP,
    tests=_grasp("support"),
)
UNCHANGEABLENESS = Concept(
    slug="unchangeableness",
    title="Unchangeableness",
    about="Objects do not change their size, shape or colour spontaneously.",
    development=(
        "Baillargeon et al. (2012) give an account that joins physical reasoning in infancy with how infants tell one"
        " object from another.",
        SURPRISE,
    ),
    sources=(INDIVIDUATION,),
    cited_in=IN_GRASP,
    tests=_grasp("unchangeableness"),
)
CAUSALITY = Concept(
    slug="causality",
    title="Causality",
    about="One object causes, enables or prevents what another does; without it something else would happen.",
    development=(
        "The three relations are those of the theory of force dynamics (Wolff and Barbey, 2015), a theory of how"
        " people, not infants, reason about two objects of which one acts on the other.",
        "Of infants' physical reasoning CRAFT cites Baillargeon (1995) and, at twelve months, Téglás et al. (2011).",
    ),
    sources=(FORCES, REASONING, PURE_REASONING),
    cited_in="CRAFT, Sections 1 and 2",
    tests=(ConceptTest("craft", "1", "test", ("Cause", "Enable", "Prevent", "Counterfactual")),),
)
MATERIAL = Concept(
    slug="material",
    title="Material",
    about="What an object is made of shows in how it looks and in how it sounds.",
    development=(
        "Morrongiello, Fenwick and Chance (1998) studied what newborn infants infer about properties of events that"
        " they see and hear.",
        "Wilcox et al. (2006) studied how young infants tell objects apart by their sounds.",
    ),
    sources=(NEWBORNS, SHAKE),
    cited_in="PACS, Section 2",
    tests=(ConceptTest("pacs", "2", "test", (WHOLE,)), ConceptTest("tapped", "2", "channel", (WHOLE,))),
)

CONCEPTS: dict[str, Concept] = {
    concept.slug: concept
    for concept in (
        CONTINUITY,
        SOLIDITY,
        INERTIA,
        GRAVITY,
        COLLISION,
        PERMANENCE,
        SUPPORT,
        UNCHANGEABLENESS,
        CAUSALITY,
        MATERIAL,
    )
}


def find_concept(slug: str) -> Concept:
    """The concept with this slug; UnknownConcept lists the existing ones."""
    if slug not in CONCEPTS:
        raise UnknownConcept(f"there is no concept {slug!r}; there is: {', '.join(CONCEPTS)}")
    return CONCEPTS[slug]


def concepts_on(benchmark: str, level: str, group: str) -> list[Concept]:
    """The concepts on this board if it groups by this facet; parts of another test don't count."""
    place = (benchmark, level, group)
    return [
        concept
        for concept in CONCEPTS.values()
        if any(place == (test.benchmark, test.level, test.group) for test in concept.tests if not test.is_part)
    ]
