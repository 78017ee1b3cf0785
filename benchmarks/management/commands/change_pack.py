from typing import Any

from django.core.management.base import CommandParser
from django.db.models import QuerySet

from benchmarks.commands import ActionCommand, CallerMistake
from benchmarks.definitions.registry import find_benchmark
from benchmarks.models import Clip
from benchmarks.models.packs import find_pack
from benchmarks.models.public_ids import rotate_ids
from benchmarks.storage.access import withdraw

MOST_NAMED = 8


class Command(ActionCommand):
    help = "Withdraw a clip of a pack, or give its items new public ids. Neither needs a confirmation."

    def add_arguments(self, parser: CommandParser) -> None:
        about = "delete a clip's files for good; a note stays, and a second call rewrites it"
        withdrawn = self.add_action(parser, "withdraw-clip", self.withdraw_clip, about)
        named = "its number, its name in the release (object0118), or the id of an item that shows it alone"
        withdrawn.add_argument("id", help=named)
        withdrawn.add_argument("--why", required=True)
        withdrawn.add_argument("--pack", default="", help="the pack, if several have a clip of this name")
        about = (
            "give every item a new id, after its ids became known together with answers: the old ids answer 404, and"
            " files of answers that name them are refused; runs, studies and snapshots stay. Each call rotates again"
        )
        rotated = self.add_action(parser, "rotate-ids", self.rotate_ids, about)
        rotated.add_argument("slug")
        rotated.add_argument("--pack", help="its name; optional if there is only one pack")

    def withdraw_clip(self, *, id: str, why: str, pack: str, **options: Any) -> None:
        if not why.strip():
            raise CallerMistake("--why is empty: say why the clip is withdrawn")
        clip = _the_one(id, clips_called(id, pack))
        withdraw(clip=clip, why=why)
        line = f"Clip {clip.pk} of {clip.pack} is withdrawn: its files are gone for good"
        self.say(options, {"clip": clip.pk, "pack": clip.pack.name}, line)

    def rotate_ids(self, *, slug: str, pack: str | None, **options: Any) -> None:
        found = find_pack(find_benchmark(slug).slug, pack)
        count = rotate_ids(found)
        line = f"{found.title}: {count} items have new ids; the old ones answer 404"
        self.say(options, {"benchmark": slug, "pack": found.name, "items": count}, line)


def clips_called(name: str, pack: str) -> QuerySet[Clip]:
    """Every clip with this item id or official key, or else with this number."""
    clips = Clip.objects.filter(pack__name=pack) if pack else Clip.objects.all()
    if found := clips.filter(uses__item__public_id=name).distinct() or clips.filter(key=name):
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
