"""Decides when people's results are shown: boards, pages, files and the API all ask here."""

from collections.abc import Collection, Iterable, Sequence
from datetime import date

from django.db.models import Count, Exists, F, Min, OuterRef, Q, TextChoices
from django.dispatch import receiver
from django.utils import timezone

from benchmarks import leasing
from benchmarks.disclosure import PUBLIC, Fact, open_to, seals_changed
from benchmarks.disclosure.seals import answers_loaded
from benchmarks.models import Item
from benchmarks.models.id_list import IdList
from humantrials.models import OVER, Judgment, Trial, TrialState
from humantrials.planning.second_round import round_progress
from humantrials.protocols import find_protocol

MIN_PEOPLE = 5  # as many as PACS asked each question: with fewer, a figure is about these people
LEAST_DONE = 0.1  # share of the answers wanted, from which on their pace foretells the end


class Wait(TextChoices):
    """What a study's results wait for, with words for readers."""

    # A change of the results after one more sheet would tell hidden answers, or sway people.
    CLOSE = "close", "Results are shown when the trial is closed."
    ANSWERS = "answers", "Results are shown when every question has all of its answers, or when the trial is closed."
    PEOPLE = "people", f"Results are shown when the answers of at least {MIN_PEOPLE} people count."


def intake_of(trial: Trial) -> dict[str, int]:
    """How far a study is: the people whose answers count, their answers, and the answers wanted."""
    answers = trial.judgments.filter(counts=True).count()
    return {"people": _people(trial), "answers": answers, "wanted": trial.slots.count()}


def _people(trial: Trial) -> int:
    return trial.judgments.filter(counts=True).order_by().values("participant").distinct().count()


def wait_of(trial: Trial) -> Wait | None:
    """What the results wait for; None if they are shown. Simulated people's are, at once, under their own kind.

    A plain link lets anybody be several people: a few visitors must not become a row of the boards.
    """
    if trial.is_simulated:
        return None
    if trial.state not in OVER and (wait := _wait_of_open(trial)):
        return wait
    return None if has_enough(trial, _people(trial)) else Wait.PEOPLE


def _wait_of_open(trial: Trial) -> Wait | None:
    """The close, if an answer is hidden; else every question's k answers, those of a second round included."""
    items, rounds = Item.objects.filter(slots__trial=trial), round_progress(trial)
    hidden, open_items = items.exclude(open_to(PUBLIC, Fact.ANSWER)).values("pk"), items.askable().values("pk")
    answered = Exists(Judgment.objects.filter(slot=OuterRef("pk"), counts=True))
    slots = trial.slots.aggregate(
        all=Count("pk"),
        hidden=Count("pk", filter=Q(item__in=hidden)),
        missing=Count("pk", filter=Q(~answered, item__in=open_items)),  # a withdrawn clip gets no further answer
    )
    if trial.has_seal or slots["hidden"]:
        return Wait.CLOSE
    is_full = slots["all"] and not slots["missing"] and (rounds is None or rounds.has_begun)
    return None if is_full else Wait.ANSWERS


def hidden_by(trials: Iterable[Trial]) -> str:
    """Why something of these running studies is not shown, and when it will be: the latest of their expected ends."""
    days = [expected_end(trial) for trial in trials]
    latest = max((day for day in days if day), default=None)
    back = f"about {latest}" if latest and all(days) else "when it closes"
    return f"hidden while a study runs, back {back}"


def expected_end(trial: Trial) -> date | None:
    """The day of the last answer at the pace so far; None while paused, before a tenth of the answers, after all."""
    counted = trial.judgments.filter(counts=True).aggregate(n=Count("pk"), first=Min("created_at"))
    wanted, now = trial.slots.count(), leasing.database_now()
    if trial.state != TrialState.OPEN or not wanted * LEAST_DONE <= counted["n"] < wanted:
        return None
    return timezone.localdate(counted["first"] + (now - counted["first"]) * wanted / counted["n"])


def has_enough(trial: Trial, people: int) -> bool:
    """Whether a figure of so many people of the trial may be shown."""
    return trial.is_simulated or people >= MIN_PEOPLE


def may_show_people(trial: Trial) -> bool:
    """Whether anything may be shown that people's answers give: a row, a vote, a share, a rating, a moment."""
    return wait_of(trial) is None


def may_show_scores(trial: Trial) -> bool:
    """Whether people's accuracy may be shown; ratings and moments have none."""
    return find_protocol(trial.protocol).analysis.has_right_answers and may_show_people(trial)


@receiver(answers_loaded)
def score_what_waited(sender: type[Item], items: Sequence[int], **kwargs: object) -> None:
    packs = Item.objects.filter(pk__in=IdList(items)).order_by().values_list("pack_id", flat=True)
    _mark(set(packs.distinct()))


@receiver(seals_changed)
def count_anew(sender: type[Item], packs: Collection[int], **kwargs: object) -> None:
    _mark(packs)


def _mark(packs: Collection[int]) -> None:
    """Mark the rows of the studies on these packs that have counted answers."""
    answered = Exists(Judgment.objects.filter(trial=OuterRef("pk"), counts=True))
    Trial.objects.filter(answered, pack__in=packs).update(answers_version=F("answers_version") + 1)
