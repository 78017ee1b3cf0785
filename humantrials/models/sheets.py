"""A trial's sheets, their slots, and who held them when."""

from django.db import models
from django.db.models import Q

from benchmarks.leasing import Leased
from benchmarks.models import Item
from humantrials.models.participants import Participant
from humantrials.models.trials import Event, Trial


class SheetState(models.TextChoices):
    OPEN = "open"
    LEASED = "leased"
    DONE = "done"


class Sheet(Leased):
    """The slots one participant gets, under a lease."""

    WAITS, HELD = SheetState.OPEN, SheetState.LEASED

    trial = models.ForeignKey(Trial, on_delete=models.CASCADE, related_name="sheets")
    order = models.PositiveIntegerField()
    state = models.CharField(max_length=8, choices=SheetState.choices, default=SheetState.OPEN)
    holder = models.ForeignKey(Participant, null=True, blank=True, on_delete=models.SET_NULL, related_name="sheets")

    class Meta:
        ordering = ["order"]
        constraints = [
            models.UniqueConstraint(fields=["trial", "order"], name="one_sheet_a_number"),
            models.UniqueConstraint(fields=["holder"], name="one_sheet_a_person", condition=Q(holder__isnull=False)),
        ]
        indexes = [models.Index(fields=["trial", "state", "lease_until"], name="sheets_to_claim")]

    def __str__(self) -> str:
        return f"sheet {self.order} of {self.trial_id}"


class Slot(models.Model):
    """One answer wanted: item, condition, replicate."""

    trial = models.ForeignKey(Trial, on_delete=models.CASCADE, related_name="slots")
    sheet = models.ForeignKey(Sheet, on_delete=models.CASCADE, related_name="slots")
    item = models.ForeignKey(Item, on_delete=models.PROTECT, related_name="slots")
    condition = models.CharField(max_length=20, default="video")
    replicate = models.PositiveSmallIntegerField()
    position = models.PositiveSmallIntegerField()

    class Meta:
        ordering = ["position"]
        constraints = [
            models.UniqueConstraint(fields=["trial", "item", "condition", "replicate"], name="exactly_k_slots"),
            models.UniqueConstraint(fields=["sheet", "position"], name="one_slot_a_position"),
            models.UniqueConstraint(fields=["sheet", "item"], name="no_item_twice_on_a_sheet"),
        ]

    def __str__(self) -> str:
        return f"slot {self.pk}"


class SheetEventKind(models.TextChoices):
    """All that is noted of a sheet, and the desk's words for it; {} is the number of a clip or of a break."""

    CLAIMED = "claimed", "given out"
    TAKEN_OVER = "taken over", "the lease had run out: given to somebody else"
    FINISHED = "finished", "finished; every answer counts"
    FINISHED_LATE = "finished late", "finished by somebody who had lost it; surplus"
    UNSEEN = "not all was seen", "free again for the slots without an answer that counts"
    TO_REPAIR = "to repair", "marked for repair: the code was given, answers are missing"
    PROBLEM = "problem at {}"
    BREAK_BEGINS = "break {} begins"
    BREAK_ENDS = "break {} ends"
    STOPPED = "stopped", "free again: the person stopped"
    SCREENED_OUT = "screened out", "free again: the quiz was not passed"
    EXCLUDED = "excluded", "free again: the person was excluded"
    WITHDRAWN = "withdrawn", "free again: the person withdrew and the answers were erased"
    CLOSED = "closed", "fenced off: the trial was closed"
    IN_GRADING = "waits for grades", "waits for grades"
    SENT_BACK = "answer sent back", "answer sent back"


class SheetEvent(Event):
    """Something that happened to a sheet. Append-only, without answers or ids of people."""

    sheet = models.ForeignKey(Sheet, on_delete=models.CASCADE, related_name="events")
    epoch = models.PositiveIntegerField()
    kind = models.CharField(max_length=20)  # SheetEventKind, with its number

    class Meta:
        ordering = ["at", "pk"]

    def __str__(self) -> str:
        return f"{self.kind} at epoch {self.epoch}"

    @property
    def words(self) -> str:
        """What happened; a kind with a number says it itself."""
        return dict(SheetEventKind.choices).get(self.kind, self.kind)


class Holding(models.Model):
    """The holder of a sheet at each epoch, since events name nobody. A withdrawal removes the name here too."""

    sheet = models.ForeignKey(Sheet, on_delete=models.CASCADE, related_name="holdings")
    epoch = models.PositiveIntegerField()
    holder = models.ForeignKey(Participant, null=True, blank=True, on_delete=models.SET_NULL, related_name="holdings")
    given_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["epoch"]
        constraints = [models.UniqueConstraint(fields=["sheet", "epoch"], name="one_holder_an_epoch")]

    def __str__(self) -> str:
        return f"epoch {self.epoch} of {self.sheet_id}"
