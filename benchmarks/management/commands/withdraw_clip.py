from typing import Any

from django.core.management.base import CommandParser
from django.db.models import Q, QuerySet

from benchmarks.commands import CallerMistake, SiteCommand
from benchmarks.models import Clip
from benchmarks.storage.access import withdraw

MOST_NAMED = 8


class Command(SiteCommand):
    help = (
        "Withdraw a clip permanently: its files are deleted and a note stays; this can't be undone. Safe to run again:"
        " the note is rewritten."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "id", help="its number, its name in the release (object0118), or the id of an item that shows it alone"
        )
        parser.add_argument("--why", required=True)
        parser.add_argument("--pack", default="", help="the pack, if several have a clip of this name")

    def handle(self, *, id: str, why: str, pack: str, **options: Any) -> None:
        if not why.strip():
            raise CallerMistake("--why is empty: say why the clip is withdrawn")
        clip = _the_one(id, clips_called(id, pack))
        withdraw(clip=clip, why=why)
        line = f"Clip {clip.pk} of {clip.pack} is withdrawn: its files are gone for good"
        self.say(options, {"clip": clip.pk, "pack": clip.pack.name}, line)


def clips_called(name: str, pack: str) -> QuerySet[Clip]:
    """Every clip with this item id or official key, or else with this number."""
    clips = Clip.objects.filter(pack__name=pack) if pack else Clip.objects.all()
    called = Q(uses__item__public_id=name) | Q(uses__item__draw_key=name)
    if found := clips.filter(called).distinct() or clips.filter(key=name):
        return found
    return clips.filter(pk=int(name)) if name.isdecimal() and len(name) < 19 else clips.none()


def _the_one(name: str, found: QuerySet[Clip]) -> Clip:
    """The only clip found; if there are several, the caller must choose, since withdrawal is final."""
    clips = list(found.select_related("pack").order_by("pk"))
    if not clips:
        raise CallerMistake(f"there is no clip {name!r}")
    if len(clips) > 1:
        known = ", ".join(f"{clip.pk} ({clip.key} of {clip.pack.name})" for clip in clips[:MOST_NAMED])
        raise CallerMistake(f"{name} is {len(clips)} clips: withdraw one by its number: {known}")
    return clips[0]
