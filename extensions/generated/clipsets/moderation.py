"""What becomes of checked clip sets: listed, withdrawn, disputed. Each leaves a public line; none is edited."""

from django.db import transaction

from benchmarks.errors import ContentRefused
from extensions.generated.models import ClipSet, ClipSetState, RowChange

STAFF = "staff of this site"
UPLOADER = "its uploader"


def list_set(*, clip_set: ClipSet, by_id: int | None) -> None:
    """Put a checked set on the board."""
    _change(clip_set, [ClipSetState.CHECKED], ClipSetState.LISTED, "listed", STAFF, by_id)


def withdraw(*, clip_set: ClipSet, reason: str, requester: str, by_id: int) -> None:
    """Take a set off the board for good; whoever asked, and why, is read by everybody."""
    if not reason.strip():
        raise ContentRefused("say why it is withdrawn: the reason is public")
    states = [ClipSetState.CHECKED, ClipSetState.LISTED]
    _change(clip_set, states, ClipSetState.WITHDRAWN, f"withdrawn: {reason.strip()}", requester, by_id)


def dispute(*, clip_set: ClipSet, requester: str, what: str, by_id: int) -> None:
    """Append what somebody asked about a row, and what was found."""
    if not (what.strip() and requester.strip()):
        raise ContentRefused("say who asked, and what was found: both are public")
    RowChange.objects.create(clip_set=clip_set, asked_by=requester.strip(), what=what.strip(), by_id=by_id)


@transaction.atomic
def _change(
    clip_set: ClipSet, before: list[ClipSetState], after: ClipSetState, what: str, requester: str, by_id: int | None
) -> None:
    if not ClipSet.objects.filter(pk=clip_set.pk, state__in=before).update(state=after):
        clip_set.refresh_from_db()
        raise ContentRefused(f"{clip_set.title} is {clip_set.state}: it can't be {after}")
    RowChange.objects.create(clip_set=clip_set, asked_by=requester, what=what[:500], by_id=by_id)
