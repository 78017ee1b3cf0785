from typing import Any

from django.core.management.base import CommandParser

from benchmarks.commands import CallerMistake, SiteCommand
from benchmarks.media import withdraw
from benchmarks.models import Clip


class Command(SiteCommand):
    help = "Withdraw a clip: its files go, a note stays. Safe to run again: the note is written anew."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("id", help="the id of an item that shows the clip, or the clip's number")
        parser.add_argument("--why", required=True)

    def handle(self, *, id: str, why: str, **options: Any) -> None:
        clips = Clip.objects.filter(uses__item__public_id=id).distinct()
        clip = clips.first() or (Clip.objects.filter(pk=int(id)).first() if id.isdecimal() else None)
        if clip is None:
            raise CallerMistake(f"there is no clip {id!r}")
        if not why.strip():
            raise CallerMistake("--why is empty: say why the clip is withdrawn")
        withdraw(clip=clip, why=why)
        self.say(options, {"clip": clip.pk, "pack": clip.pack.name}, f"Clip {clip.pk} of {clip.pack} is withdrawn")
