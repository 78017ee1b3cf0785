"""Giraffe asked to people: which picture comes next, and how good a prediction is. Both studies are ours.

The paper has neither a human study nor this variant with choices: twenty patterns a sheet, three people a pattern,
chance is one in four. Predictions are rated by the referees' rubric, word for word, without knowing their source: they
are dealt to sheets of ten, each with all its dimensions in a row, and three people rate each.
"""

from dataclasses import replace

from django.utils.translation import gettext_lazy as _
from django.utils.translation import gettext_noop

from humantrials.protocols import invariants
from humantrials.protocols.catalogue.grasp_plausibility import consent_without_videos
from humantrials.protocols.designs.dealt import draw_at_random, draw_predictions, sheets_of_items, sheets_of_predictions
from humantrials.protocols.protocol import Analysis, Design, Player, Pool, PracticeSource, Protocol, Screening
from humantrials.protocols.trial_types import PICK, RATING

QUESTION = gettext_noop("Which picture comes next?")


DESIGN = Design(
    group="test",
    balance="scenario",
    condition="video",
    replicates=3,
    order="random within each sheet, drawn from the seed",
    each_gets="twenty patterns, drawn",
    compose=sheets_of_items,
    invariants=(*invariants.OF_EVERY_DESIGN, invariants.ONCE_A_SHEET),
)

GIRAFFE_CHOICE = Protocol(
    name="giraffe-choice",
    title="What comes next? Patterns asked to people",
    pool=Pool(benchmark="giraffe", kind="choice", split="all", items=100, limit="items", draw=draw_at_random),
    design=DESIGN,
    screening=Screening(
        consent=consent_without_videos(
            version="3",
            invitation=_(
                "You are invited to take part in a study about patterns. You will see image sequences and choose"
                " which of four pictures comes next. There are no videos."
            ),
            risk=_(
                "Taking part is voluntary. You can stop at any time by closing the page, without giving a reason. There"
                " is no risk beyond that of looking at pictures."
            ),
        ),
        instructions=(
            _("You will see an image sequence: three to five pictures that follow a rule."),
            _("Below are four pictures, A, B, C and D. One of them comes next in the sequence."),
            _("Choose that one. There is always one right answer."),
        ),
        practice=(PracticeSource("choice"),),
    ),
    player=Player(
        trial_type=PICK,
        clips=0,
        has_pictures=True,
        has_own_options=True,
        labels={"a": "A", "b": "B", "c": "C", "d": "D"},
        options=(),
        sentence=lambda prompt: QUESTION,  # whatever the prompt says of the format of an answer
        seconds_a_trial=20,
        debrief=(
            _(
                "Computer models are asked the same questions. Your answers show which patterns are hard for"
                " people too."
            ),
        ),
    ),
)

GIRAFFE_RATING = Protocol(
    name="giraffe-rating",
    title="How good is this prediction? Rated by people",
    pool=Pool(benchmark="giraffe", kind="rating", split="all", items=60, limit="items", draw=draw_predictions),
    design=replace(
        DESIGN,
        group="prediction",
        balance="test",
        condition="text",
        order="predictions in an order drawn from the seed; the dimensions of each one after the other",
        each_gets="ten predictions, each with every dimension",
        compose=sheets_of_predictions,
    ),
    screening=Screening(
        consent=consent_without_videos(
            invitation=_(
                "You are invited to take part in a study about how good predictions are. You will read what somebody"
                " expected to happen next, and give points for it by rules shown next to it. There are no videos."
                " All texts are in English."
            ),
            risk=_(
                "Taking part is voluntary. You can stop at any time by closing the page, without giving a reason. There"
                " is no risk beyond that of reading short texts."
            ),
        ),
        instructions=(
            _("You will read predictions of what comes next, and what is known about it."),
            _("Give points by the rule at the top of each page, and by nothing else. 0 is the lowest."),
            _("Each prediction is asked about several times in a row, by another rule each time."),
            _("Some predictions are right, some are not, and some list several possibilities."),
        ),
        practice=(PracticeSource("rating", has_media=False),),
    ),
    player=Player(
        trial_type=RATING,
        clips=0,
        has_own_options=True,
        options=(),
        translate=str,
        seconds_a_trial=30,
        debrief=(
            _(
                "Language models give points to the same predictions by the same rules. Your points show how far their"
                " points can be trusted."
            ),
        ),
    ),
    analysis=Analysis(has_right_answers=False),
)
