"""GRASP's Level 2 asked to people, as in section 8 of the paper: one clip of each test, three answers a clip.

The paper prints neither the wording nor the instructions, so these are ours: the sentence is the models' prompt without
the parts for models only (who made the video, how to phrase the answer), which the instructions say once.
"""

import re
from dataclasses import replace
from typing import Any

from django.utils.translation import gettext_lazy as _
from django.utils.translation import gettext_noop

from benchmarks.definitions.papers import grasp_prompts
from humantrials.protocols import invariants
from humantrials.protocols.protocol import (
    Consent,
    Design,
    Option,
    OwnPractice,
    Player,
    Pool,
    PracticeSource,
    Protocol,
    Screening,
    Text,
)
from humantrials.protocols.trial_types import VIDEO_CHOICE

SENTENCE_END = re.compile(r"(?<=[.?!])\s+")


def observation_question(prompt: str) -> str:
    """The prompt's only question, word for word."""
    questions = [sentence for sentence in SENTENCE_END.split(prompt.strip()) if sentence.endswith("?")]
    if len(questions) != 1:
        raise ValueError(f"a prompt of {len(questions)} questions: {prompt!r}")
    return questions[0]


# The questions that the rule above gives for the 16 tests, listed so that translators find them.
SENTENCES = (
    gettext_noop(
        "Given how objects behave on earth, is the interaction between the balls plausible, assuming they are of the"
        " same mass?"
    ),
    gettext_noop("Given how objects behave on earth, is the final position of the ball plausible?"),
    gettext_noop("Given how objects behave on earth, is the final position of the top cube plausible?"),
    gettext_noop("Given how objects behave on earth, is the location of the cube plausible?"),
    gettext_noop("Given how objects behave on earth, is the outcome of the experiment plausible?"),
    gettext_noop("Given how objects behave on earth, is the trajectory of the ball plausible?"),
    gettext_noop("Given how objects behave on earth, is the trajectory of the rotating plank plausible?"),
)

CONSENT = Consent(
    version="3",
    paragraphs=(
        _(
            "You are invited to take part in a study about how people understand the physical world. You will watch"
            " short videos made by a computer and say of each whether what happens in it could happen on earth."
        ),
        _(
            "Taking part is voluntary. You can stop at any time by closing the page, without giving a reason. There is"
            " no risk beyond that of watching short videos."
        ),
        _(
            "We store your answers, how long they took, and how the videos played on your device: pauses, stalls, and"
            " whether the page was left. We don't ask for your name and set no cookies. If you come from a panel, its"
            " id for you is kept apart from your answers and never published."
        ),
        _(
            "We also note the kind and size of your screen, the volume, and signs that a program answers. To notice"
            " when one person takes part twice, we keep a scrambled form of your network address and of your browser's"
            " name; it is deleted some time after the study closes, or when you have your answers deleted."
        ),
        _(
            "Your answers may be published under a random code. When you agree you get a receipt code; with it you can"
            " have your answers deleted later."
        ),
    ),
    agree=_("I am at least 18 years old, I have read this, and I want to take part."),
)

DESIGN = Design(
    group="test",
    balance="polarity",
    condition="video",
    replicates=3,
    order="random within each sheet, drawn from the seed",
    invariants=(*invariants.OF_EVERY_DESIGN, invariants.ONE_A_GROUP, invariants.EVEN_SHEETS, invariants.EVEN_ANSWERS),
    may_adapt=True,
)

SCREENING = Screening(
    consent=CONSENT,
    instructions=(
        _("You will see short videos. They were made by a simulator and last four to ten seconds each."),
        _("Some show what would happen on earth, some show what could not. Say which, from the events in the video."),
        _("Ignore how real the pictures look. Only what the objects do matters."),
        _("Watch each video once from start to end, then answer. You may watch it again before you answer."),
    ),
    own_practice=OwnPractice(
        "clips/grasp/practice.mp4", "plausibility", grasp_prompts.LEVEL_2["GravitySupport"], expected="no"
    ),
    practice=(
        PracticeSource("plausibility"),
        PracticeSource(
            "binary",
            facets=(("test", "Movement"),),
            expected="yes",
            sentence=_("Given how objects behave on earth, is what the video shows plausible?"),
        ),
        PracticeSource(
            "binary",
            expected="yes",
            sentence=_("Given how objects behave on earth, is what the video shows plausible?"),
        ),
    ),
)

PLAYER = Player(
    trial_type=VIDEO_CHOICE,
    options=(Option("yes", _("Plausible")), Option("no", _("Not plausible"))),
    swaps=True,
    sentence=observation_question,
    lease_seconds=30 * 60,
    seconds_a_trial=22,
    debrief=(
        _(
            "The videos show experiments that were first made with infants: they look longer at what they do not"
            " expect. Computer models are asked the same questions about the same videos, and your answers show how far"
            " apart the two are."
        ),
    ),
)

GRASP_PLAUSIBILITY = Protocol(
    name="grasp-plausibility",
    title="Plausible or not? GRASP Level 2 asked to people",
    pool=Pool(benchmark="grasp", kind="plausibility", split="human"),
    design=DESIGN,
    screening=SCREENING,
    player=PLAYER,
)


def variant_of_plausibility(
    *, invitation: Any, pool: Any = None, design: Any = None, screening: Any, player: Any, **parts: Any
) -> Protocol:
    """The protocol with another question about all its clips, with its own invitation."""
    base = GRASP_PLAUSIBILITY
    return replace(
        base,
        pool=replace(base.pool, split="all", **(pool or {})),
        design=replace(base.design, may_adapt=False, **(design or {})),
        screening=replace(base.screening, consent=consent_to_videos(invitation), own_practice=None, **screening),
        player=replace(base.player, **player),
        **parts,
    )


def consent_to_videos(invitation: Text, version: str = "1") -> Consent:
    """The consent to watch videos, with an invitation of the study's own."""
    return Consent(version=version, paragraphs=(invitation, *CONSENT.paragraphs[1:]), agree=CONSENT.agree)


def consent_without_videos(*, invitation: Text, risk: Text, version: str = "2") -> Consent:
    """Build the consent; `risk` says that taking part is voluntary and what the risk is."""
    stored = _(
        "We store your answers and how long they took. We don't ask for your name and set no cookies. If you"
        " come from a panel, its id for you is kept apart from your answers and never published."
    )
    beside, published = CONSENT.paragraphs[3:]
    return Consent(version=version, paragraphs=(invitation, risk, stored, beside, published), agree=CONSENT.agree)
