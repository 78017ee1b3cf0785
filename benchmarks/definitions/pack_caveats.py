"""Caveats that depend on a pack's content, in the reader's language."""

from django.utils.translation import gettext as _

from benchmarks.definitions.definition import Caveat, PackContents
from benchmarks.definitions.importers.giraffe import FIRST_CHOICES, SECOND_CHOICES, THIRD_CHOICES

PAPER_BOOLEANS, PAPER_A_VIDEO = 0.61, 5.8  # share of true-or-false questions (Table 1, row MFA); 58K of 10K videos
OFF = 0.03  # a share that differs from the paper's by more than this makes another test


def of_craft(contents: PackContents) -> tuple[Caveat, ...]:
    """Small packs have other proportions of answer types than the paper."""
    if not contents.questions or not contents.videos:
        return ()
    booleans = contents.counts.get(("answer", "Boolean"), 0) / contents.questions
    if abs(booleans - PAPER_BOOLEANS) <= OFF:
        return ()
    figures = {
        "booleans": f"{100 * booleans:.0f}",
        "questions": f"{contents.questions:,}",
        "paper_booleans": f"{100 * PAPER_BOOLEANS:.0f}",
        "a_video": f"{contents.questions / contents.videos:.1f}",
        "paper_a_video": f"{PAPER_A_VIDEO:.1f}",
    }
    text = _(
        "Scores on this pack do not compare with the paper's Table 1: %(booleans)s %% of its %(questions)s questions"
        " are true or false, in the paper about %(paper_booleans)s %%; it has %(a_video)s questions a video, the paper"
        " %(paper_a_video)s. Chance and the heuristics differ with it."
    )
    return (Caveat(text % figures),)


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


def of_giraffe(contents: PackContents) -> tuple[Caveat, ...]:
    """Choices of generated patterns give hints: strong before 1.2 (or in folders begun earlier), weak before 1.4."""
    version = contents.definition_version if contents.origin == "generated" else ""
    if contents.profile == FIRST_CHOICES or version in ("1.0", "1.1"):
        return (Caveat(_(TELLING_CHOICES), level="4"),)
    if contents.profile == SECOND_CHOICES or version == "1.2":
        return (Caveat(_(TELLING_SNAKES), level="4"),)
    return (Caveat(_(TELLING_INSIDE), level="4"),) if contents.profile == THIRD_CHOICES or version == "1.3" else ()
