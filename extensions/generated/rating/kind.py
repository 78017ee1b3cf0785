"""Studies in which people rate generated clips: slot studies with forms, files of ratings and simulated raters."""

from dataclasses import dataclass, replace
from typing import Any

from django.db.models import prefetch_related_objects
from django.utils.translation import gettext

from benchmarks.models import Item
from extensions.generated.rating.answers import counts_of, write_ratings
from extensions.generated.rating.pages import HOW_GOOD, HOW_GOOD_EACH, THEN_TEXT, FormPage, RatingPlayer, dimension_in
from extensions.generated.rating.simulation import Rater
from humantrials.assignment.sheets import slots_of
from humantrials.kinds import ExportFormat, Facts, ParticipantPage
from humantrials.models import Participant, Trial
from humantrials.participation.questions import DisplayedQuestion
from humantrials.protocols import find_protocol
from humantrials.protocols.protocol import Option, Protocol
from humantrials.results.judgments import judgments
from humantrials.results.release import Wait, has_enough, intake_of, wait_of
from humantrials.slots import SlotStudy


@dataclass(frozen=True)
class FormQuestion(DisplayedQuestion):
    """A question whose answer is a form."""

    groups: tuple[str, ...] = ()  # names of the radio groups that it asks
    length: str = ""  # of its clip in seconds, as a plain number in every language
    frame: str = ""  # the same of one picture


def with_forms(page: ParticipantPage, person: Participant) -> ParticipantPage:
    """The page with its questions as forms; a page without questions, such as a break, stays as it is."""
    player = find_protocol(person.trial.protocol).player
    if "questions" not in page.context or not isinstance(player.trial_type, FormPage):
        return page
    items = {slot.position: slot.item for slot in slots_of(person)}
    prefetch_related_objects([*items.values()], "facets", "media__clip")  # they stay with the sheet in this process
    questions = [_form(question, items[question.position], player.trial_type) for question in page.context["questions"]]
    if isinstance(player, RatingPlayer):
        questions = [_rating(form, items[form.position], items.get(form.position + 1), player) for form in questions]
    facts: dict[str, Any] = {"questions": questions, "question": questions[0], "groups": player.trial_type.groups}
    return replace(page, context={**page.context, **facts})


def _form(question: DisplayedQuestion, item: Item, page: FormPage) -> FormQuestion:
    seconds, frames = (item.clip.seconds, item.clip.frames) if item.clip else (0.0, 0)
    groups = tuple(group.name for group in page.groups)
    return FormQuestion(**vars(question), groups=groups, length=f"{seconds:g}", frame=f"{seconds / max(1, frames):.4f}")


def _rating(form: FormQuestion, item: Item, following: Item | None, player: RatingPlayer) -> FormQuestion:
    """The dimensions of this page, and the prompt where they need it. The page before it is about the same clip."""
    dimensions = player.dimensions_at(item.facet_values("level"))
    names = {dimension.name for dimension in dimensions}
    form = replace(form, groups=tuple(name for name in form.groups if dimension_in(name) in names))
    if any(dimension.shows_prompt for dimension in dimensions):
        note = gettext(
            "Now with its text: watch the same video once more with the text in mind. What you answered about it"
            " before is saved and closed."
        )
        return replace(form, sentence=f"“{form.sentence}”", note=note)
    has_text = following is not None and following.clip == item.clip
    options = (Option(THEN_TEXT, gettext("Next: the text")),) if has_text else form.options
    return replace(form, sentence=gettext(HOW_GOOD if player.clips == 1 else HOW_GOOD_EACH), options=options)


class RatingStudy(SlotStudy):
    """People rate clips, compare two, or mark where one breaks."""

    formats = {
        **SlotStudy.formats,
        "ratings": ExportFormat("one row a value, which names generators once the study is over", write_ratings),
    }
    parts = {"results": "generated/participant/results.html"}

    def next_page(self, person: Participant, *, alone: bool) -> ParticipantPage | None:
        page = super().next_page(person, alone=alone)
        return page and with_forms(page, person)

    def sheet_facts(self, person: Participant) -> Facts:
        return {"stage_title": gettext("How it works")}  # in place of a line on keys, which the instructions have

    def simulated(self, protocol: Protocol) -> type[Rater]:
        return Rater

    def results_facts(self, trial: Trial) -> Facts:
        """How often each answer was given; until it may be shown, what it waits for."""
        wait = wait_of(trial)
        rows = [] if wait else list(judgments(trial))
        if rows and not has_enough(trial, len({row.participant_code for row in rows})):
            wait = Wait.PEOPLE
        if wait:
            return {"wait": wait, "intake": intake_of(trial)}
        return {"counts": counts_of(trial, [row.answer for row in rows])}


RATINGS = RatingStudy()
