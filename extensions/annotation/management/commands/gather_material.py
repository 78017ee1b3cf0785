import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import CommandError, CommandParser

from benchmarks.commands import CallerMistake, SiteCommand
from benchmarks.errors import BenchmarkError
from benchmarks.leasing import queue_task
from benchmarks.policy import MEGABYTE
from benchmarks.progress_bar import progress_bar
from extensions.annotation.material.make_pack import make_pack, order_pack
from extensions.annotation.material.processing import read_file
from extensions.annotation.material.review import clips_of, overview
from extensions.annotation.material.uploads import (
    READ,
    SLUG,
    FileKnown,
    FileRefused,
    StoredFile,
    begin_material,
    here_already,
    known,
    remove_material,
    take_in,
)
from extensions.annotation.models import FileState, Material, MaterialFile

CHUNK = MEGABYTE


@dataclass
class Came:
    """The result of adding files: how many were sent, which are unusable, and which existed before."""

    sent: int
    refused: list[dict[str, str]] = field(default_factory=list)
    before: list[StoredFile] = field(default_factory=list)

    @property
    def here(self) -> list[StoredFile]:
        return [one for one in self.before if not one.problem]

    @property
    def problems(self) -> list[dict[str, str]]:
        return self.refused + [{"where": one.name, "what": one.problem} for one in self.before if one.problem]


class Command(SiteCommand):
    help = (
        "Add videos as material for annotation: short clips unchanged, long videos cut at their shots. Safe to run "
        "again: an existing file is not changed, and its stored clips are reported."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("slug")
        parser.add_argument("files", nargs="*", type=Path)
        parser.add_argument("--title", default="")
        parser.add_argument("--seed", type=int, default=0, help="seed of a new material's draws (default 0)")
        parser.add_argument(
            "--shortest",
            type=float,
            default=4.0,
            help="shortest clip of a new material in seconds (default 4, as in PACS; 1 to 5)",
        )
        parser.add_argument("--queue", action="store_true", help="let a worker read the files")
        parser.add_argument(
            "--make-pack",
            action="store_true",
            help="make the pack of the kept clips unless it exists; then nothing can change",
        )

    def handle(self, *, slug: str, files: list[Path], **options: Any) -> None:
        missing = [path for path in files if not path.is_file()]
        if missing:
            raise CallerMistake(f"{missing[0]}: no such file")
        try:
            known_one = Material.objects.filter(slug=slug).first()
            material = known_one or _begun(slug, files, options)
            came = self._taken_in(material, files, options)
        except BenchmarkError as error:
            raise CallerMistake(str(error)) from None
        refused = _pack_refused(material) if options["make_pack"] else ""
        self._report(material, came, options)
        if not known_one:
            _remove_if_empty(material)
        if refused:
            raise CallerMistake(refused)
        if came.problems:
            raise CommandError(f"{len(came.problems)} of {len(files)} files can't be used", returncode=1)

    def _taken_in(self, material: Material, files: list[Path], options: dict[str, Any]) -> Came:
        """Add and read every file; an existing file is read only if nobody has read it yet."""
        came = Came(len(files))
        for path in files:
            try:
                with path.open("rb") as opened:
                    chunks = iter(lambda: opened.read(CHUNK), b"")
                    file = take_in(material=material, name=path.name, chunks=chunks)
            except FileKnown as error:
                _read(error.same, options)
                came.before.append(known(error))
            except FileRefused as error:
                came.refused.append({"where": path.name, "what": str(error)})
            else:
                if problem := _read(file, options):
                    came.refused.append({"where": path.name, "what": problem})
        return came

    def _report(self, material: Material, came: Came, options: dict[str, Any]) -> None:
        clips = clips_of(material)
        seen = overview(material, clips)
        material.refresh_from_db()
        address = f"{settings.SITE_URL}{material.get_absolute_url()}"
        for problem in came.problems:
            self.note(options, problem["what"])
        for clip in clips:
            self.note(options, f"{clip}: {'kept' if clip.is_kept else 'dropped, ' + _why(clip)}")
        if came.here:
            self.note(options, f"{here_already(came.here, came.sent)}. Their clips: {address}")
        facts = {
            "material": material.slug,
            "files": seen.files,
            "waiting": seen.open_files,
            "clips": seen.clips,
            "kept": seen.kept,
            "dropped": dict(seen.dropped_by),
            "problems": came.problems,
            "here_already": [
                {"file": one.name, "as": one.file.name, "clips": one.clips, "kept": one.kept} for one in came.here
            ],
            "pack": material.pack.name if material.pack else None,
            "address": address,
        }
        made = f", pack {material.pack.name}" if material.pack else ""
        self.say(options, facts, f"{material.slug}: {seen.kept} of {seen.clips} clips kept{made}")


def _begun(slug: str, files: list[Path], options: dict[str, Any]) -> Material:
    """A new material; it needs a file, so that a mistyped name creates none."""
    if (seed := options["seed"]) < 0:
        raise BenchmarkError(f"--seed {seed}: must be at least 0")
    if not files and SLUG.fullmatch(slug):
        names = ", ".join(Material.objects.values_list("slug", flat=True)[:10]) or "there are none yet"
        raise BenchmarkError(f"there is no material {slug}: name a file to begin it with, or one of these: {names}")
    return begin_material(slug=slug, title=options["title"], seed=seed, shortest=options["shortest"])


def _remove_if_empty(material: Material) -> None:
    """Remove a material without usable files, so that a mistake leaves no entry."""
    has_work = MaterialFile.objects.filter(material=material).exclude(state=FileState.REFUSED).exists()
    if not has_work:
        remove_material(material)


def _pack_refused(material: Material) -> str:
    """Make the pack unless it exists; return why it can't be made, or an empty string."""
    material.refresh_from_db()
    try:
        if not material.pack_id:
            make_pack(order_pack(material).pk)
    except BenchmarkError as error:
        return str(error)
    return ""


def _read(file: MaterialFile, options: dict[str, Any]) -> str:
    """Read the file here, or queue it for a worker; return its problem, or an empty string."""
    if not file.is_open:
        return ""
    if options["queue"]:
        queue_task(READ, file.pk)
        return ""
    read = _read_until_done(file)
    return read.problem if read.state == FileState.REFUSED else ""


def _read_until_done(file: MaterialFile) -> MaterialFile:
    bar = progress_bar(sys.stderr, file.name)

    def show(read: MaterialFile) -> None:
        if read.total:
            bar(read.done, read.total)

    while (read := read_file(file.pk, show)) and read.is_open:
        continue
    file.refresh_from_db()
    return file


def _why(clip: Any) -> str:
    return clip.decision.reason if clip.decision else "; ".join(sentence for _, sentence in clip.reasons)
