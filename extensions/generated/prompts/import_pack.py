"""Stores a prompt pack with its first frames and references; the same content again changes nothing."""

import secrets
from collections.abc import Mapping
from pathlib import Path

from django.db import transaction

from benchmarks.encoding.probe import UnreadableMedia
from benchmarks.encoding.sandbox import MediaChild
from benchmarks.errors import ContentRefused
from benchmarks.models import BenchmarkFile
from benchmarks.packs.folder_check import OtherImport, OtherReport
from benchmarks.storage.staging import PICTURES, Progress
from benchmarks.storage.store import staging, store
from extensions.generated.models import ClipSetState, Prompt, PromptPack
from extensions.generated.prompts.pack_folder import PROMPTS, BadPack, PackFolder, notes_of, read_pack, records_of

BATCH = 500
UPDATED = ("text", "laws", "first_frame", "reference")


def check_folder(root: Path, progress: Progress) -> OtherReport | None:
    """What is wrong with the prompt pack in this folder; None if it has no prompts.csv."""
    if not (root / PROMPTS).is_file():
        return None
    try:
        folder = read_pack(root)
        with staging() as place:
            _written(folder, place, progress)
        with transaction.atomic():
            _refuse_other_content(folder)
    except BadPack as error:
        return OtherReport("a prompt pack", error.mistakes, ())
    except ContentRefused as error:
        return OtherReport("a prompt pack", (("benchmark.toml", str(error)),), ())
    return OtherReport(f"{folder.data['title']}: {len(folder.rows)} prompts", (), tuple(notes_of(folder)))


def import_folder(root: Path, progress: Progress) -> OtherImport | None:
    """Store the prompt pack in this folder, or nothing of it; None if it has no prompts.csv."""
    if not (root / PROMPTS).is_file():
        return None
    pack, is_new = import_pack(read_pack(root), progress)
    count = pack.prompts.count()
    line = f"{pack.title} {pack.version}: {count} prompts{'' if is_new else ', which existed already'}"
    facts = {"pack": pack.slug, "version": pack.version, "prompts": count, "is_new": is_new}
    return OtherImport(line, pack.get_absolute_url(), facts)


def import_pack(folder: PackFolder, progress: Progress = lambda done, total: None) -> tuple[PromptPack, bool]:
    """The stored pack, and whether it is new; raises BadPack for files that can't be read, else ContentRefused."""
    digest = folder.sha256
    if same := PromptPack.objects.filter(slug=folder.data["slug"], sha256=digest).first():
        return same, False
    with staging() as place:
        written = _written(folder, place, progress)
        stored = {name: f"prompts/{secrets.token_hex(16)}{path.suffix}" for name, path in written.items()}
        with transaction.atomic():
            _refuse_other_content(folder)
            pack = _store(folder, digest, stored)
            store().put({path: stored[name] for name, path in written.items()})
    return pack, True


def _written(folder: PackFolder, place: Path, progress: Progress) -> dict[str, Path]:
    """Every picture and clip in its one form below `place`, by name; raises BadPack for all that can't be read."""
    written, mistakes, child = dict[str, Path](), list[tuple[str, str]](), MediaChild()
    try:
        for number, (name, (path, line)) in enumerate(folder.files.items()):
            below = (place / str(number)).resolve()
            below.mkdir()
            is_still = Path(name).suffix.lower() in PICTURES
            try:
                child.write_anew(path, below, is_still=is_still)
            except UnreadableMedia as error:
                mistakes.append((line, f"{name!r} can't be read: {error}"))
            written[name] = below / ("picture.png" if is_still else "original.mp4")
            progress(number + 1, len(folder.files))
    finally:
        child.end()
    if mistakes:
        raise BadPack(mistakes)
    return written


def _refuse_other_content(folder: PackFolder) -> None:
    """Within a transaction: raise ContentRefused if the slug is another's, or if something rests on other prompts."""
    slug = folder.data["slug"]
    pack = PromptPack.objects.select_for_update().filter(slug=slug).first()
    if pack is None:
        if BenchmarkFile.objects.filter(slug=slug).exists():
            raise ContentRefused(f"slug {slug!r} is a benchmark's: choose another one")
        return
    if pack.sha256 == folder.sha256:
        return
    if pack.version == folder.data["version"]:
        raise ContentRefused(f"{slug} {pack.version} is here with other content: raise version")
    if pack.clip_sets.exclude(state=ClipSetState.REFUSED).exists() or pack.rounds.exists():
        raise ContentRefused(f"there are clip sets for {slug} {pack.version}: give other prompts a slug of their own")
    keys = {row.key for row in folder.rows}
    missing = [key for key in pack.prompts.values_list("key", flat=True) if key not in keys]
    if missing and pack.judges.exists():
        raise ContentRefused(f"judges rated {len(missing)} prompts that are not here, first {missing[0]!r}")


def _store(folder: PackFolder, digest: str, stored: Mapping[str, str]) -> PromptPack:
    """The pack's row and its prompts, those of an earlier version brought up to date; its old files are removed."""
    fields = {name: folder.data.get(name, "") for name in ("title", "about", "version", "licence", "source", "preset")}
    facts = fields | {"definition": list(records_of(folder.data)), "sha256": digest}
    pack, _ = PromptPack.objects.update_or_create(slug=folder.data["slug"], defaults=facts)
    before = {prompt.key: prompt for prompt in pack.prompts.all()}
    old = [name for prompt in before.values() for name in (prompt.first_frame, prompt.reference) if name]
    rows = [
        Prompt(
            pk=before[row.key].pk if row.key in before else None,
            pack=pack,
            key=row.key,
            text=row.text,
            laws=list(row.laws),
            **{column: stored[name] for column, name in row.files.items()},
        )
        for row in folder.rows
    ]
    pack.prompts.exclude(pk__in=[row.pk for row in rows if row.pk]).delete()  # without judges: see above
    Prompt.objects.bulk_create([row for row in rows if not row.pk], batch_size=BATCH)
    Prompt.objects.bulk_update([row for row in rows if row.pk], UPDATED, batch_size=BATCH)
    transaction.on_commit(lambda: store().remove(old))
    return pack
