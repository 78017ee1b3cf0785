"""Checks a clip set, and stores its clips if nothing blocks it. The row holds state and progress, as a worker's lease.

Clips are stored in the one form that everybody sees (`benchmarks/encoding/conform.py`).
"""

import os
import secrets
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from itertools import count
from pathlib import Path
from typing import Any

from django.db import IntegrityError, transaction
from django.db.models import F
from django.utils.text import slugify

from benchmarks import leasing
from benchmarks.definitions.release_bounds import UNSTORABLE
from benchmarks.encoding.probe import UnreadableMedia
from benchmarks.errors import BadRelease, ContentRefused, StoreAway
from benchmarks.gallery.folder_queue import unpacked
from benchmarks.packs.folder_check import OtherImport
from benchmarks.storage.store import staging, store
from extensions.generated.clipsets.card import MADE_HERE, Card
from extensions.generated.clipsets.findings import ClipSetFinding, Weight, error
from extensions.generated.clipsets.folder import (
    CheckedFolder,
    Progress,
    is_clip_set,
    known_generator,
    looked_at,
    pack_of,
)
from extensions.generated.clipsets.manifest import NAME
from extensions.generated.clipsets.uploads import drop_archive, joined
from extensions.generated.models import ClipSet, ClipSetState, GeneratedClip, Generator, RowChange

LEASE = 15 * 60.0  # seconds; longer than SQLite's one writer keeps the heartbeat out
BEAT = 3.0  # seconds between two updates of the progress
ATTEMPTS = 2
BATCH = 500
MOST = 2000  # findings in a row
LOST = "checking it broke off twice: check the folder with the command check_benchmark"
MADE = ("width", "height", "fps", "seconds", "moved", "has_sound", "likeness")  # facts of clips


def carry_out(clip_set_id: int) -> None:
    """Check one set; does nothing if another worker has it, and leaves it waiting if the store is away."""
    taken = ClipSet.objects.filter(pk=clip_set_id)
    clip_set = leasing.take(taken, seconds=LEASE, attempts=F("attempts") + 1, clips_done=0, clips_total=0)
    if clip_set is None:
        return
    if clip_set.attempts > ATTEMPTS:
        _refuse(clip_set, [error("archive", "lost", LOST)])
        return
    try:
        with suppress(leasing.LeaseLost), _progress(clip_set) as show, staging() as folder:
            _check(clip_set, folder, show)
    except BadRelease as refused:
        _refuse(clip_set, [error("archive", "archive", str(refused))])
    except (OSError, StoreAway):
        leasing.give_back(clip_set)
        raise


def _check(clip_set: ClipSet, folder: Path, show: Progress) -> None:
    uploader = clip_set.uploader
    may_be_made_here = uploader is not None and uploader.has_perm("generated.change_clipset")
    with joined(clip_set, folder) as archive, unpacked(archive, NAME, "clip set", folder) as root:
        checked = looked_at(root, clip_set.pack, show, may_be_made_here=may_be_made_here)
        if checked.errors:
            _refuse(clip_set, checked.findings, checked.card)
            return
        try:
            _store(clip_set, checked, _in_one_form(checked, folder))
        except ContentRefused as refused:
            _refuse(clip_set, [error("card.toml, version", "row", str(refused))], checked.card)
            return
    drop_archive(clip_set)


def import_folder(root: Path, progress: Progress) -> OtherImport | None:
    """Store the clip set in this folder, which is then checked, or nothing of it; None if it has no manifest.

    Raises BadRelease with the first error.
    """
    if not is_clip_set(root) or (root / "benchmark.toml").exists():
        return None
    pack = pack_of(root)
    checked = looked_at(root, pack, progress)
    if same := ClipSet.objects.filter(pack=pack, identity=checked.card.identity, sha256=checked.sha256).first():
        return _report_of(same, is_new=False)
    if pack is None or checked.errors:
        first, *others = checked.errors
        raise BadRelease(f"{first}{f' (and {len(others)} more: check_benchmark lists them)' if others else ''}")
    key = secrets.token_hex(16)
    with staging() as folder:
        written = _in_one_form(checked, folder)
        with transaction.atomic():
            new = ClipSet.objects.create(pack=pack, key=key, slug=key, title=key)
            clip_set = leasing.take(ClipSet.objects.filter(pk=new.pk), seconds=LEASE)
            assert clip_set is not None, "nobody else sees the row yet"
            _store(clip_set, checked, written)
    return _report_of(ClipSet.objects.get(pk=new.pk), is_new=True)


def _report_of(clip_set: ClipSet, *, is_new: bool) -> OtherImport:
    count = clip_set.clips.count()
    line = f"{clip_set.title}: {count} clips, {clip_set.state}{'' if is_new else ', which existed already'}"
    facts = {"clip_set": clip_set.slug, "clips": count, "state": clip_set.state, "is_new": is_new}
    return OtherImport(line, clip_set.get_absolute_url(), facts)


def _refuse(clip_set: ClipSet, findings: Sequence[ClipSetFinding], card: Card | None = None) -> None:
    fields = _plain(card.fields) if card else {}
    title = " ".join(str(fields[name]) for name in ("generator", "version") if name in fields)[:160]
    facts = {"findings": _storable(findings), "card": fields, "title": title or clip_set.title}
    if leasing.end(clip_set, ClipSetState.REFUSED, **facts):
        drop_archive(clip_set)


def _storable(findings: Sequence[ClipSetFinding]) -> list[dict[str, str]]:
    """The findings as JSON, errors first; a note says if there are more than a row holds."""
    rows = [
        _plain({"weight": each.weight, "place": each.place, "code": each.code, "text": each.text}) for each in findings
    ]
    more = {"weight": Weight.NOTE, "place": "report", "code": "more", "text": f"and {len(rows) - MOST:,} more findings"}
    return [*rows[:MOST], more] if len(rows) > MOST else rows


def _plain(fields: Mapping[str, Any]) -> dict[str, Any]:
    """Texts and numbers among the fields, as every database takes them in JSON."""
    texts = {name: UNSTORABLE.sub("?", value)[:500] for name, value in fields.items() if isinstance(value, str)}
    numbers = {name: value for name, value in fields.items() if isinstance(value, int | float) and abs(value) < 1e15}
    return {UNSTORABLE.sub("?", name): value for name, value in (texts | numbers).items()}


def _store(clip_set: ClipSet, checked: CheckedFolder, written: Mapping[str, Path]) -> None:
    """Store rows first and files last; raises LeaseLost, or ContentRefused for a row that came in the meantime."""
    try:
        with transaction.atomic():
            leasing.hold(clip_set)
            clips = _save(clip_set, checked)
            store().put({written[clip.file]: clip.stored for clip in clips})
    except IntegrityError:
        raise ContentRefused("the same row was stored just now: nothing that changes clips differs") from None


def _in_one_form(checked: CheckedFolder, folder: Path) -> dict[str, Path]:
    """Every clip as everybody sees it, by file; raises BadRelease for one that can't be brought into the one form."""
    from benchmarks.encoding.sandbox import MediaChildren

    def write(numbered: tuple[int, str]) -> tuple[str, Path]:
        number, name = numbered
        below = (folder / f"form-{number}").resolve()
        below.mkdir()
        with children.one() as child:
            try:
                child.write_anew(checked.root / name, below)
            except UnreadableMedia as problem:
                raise BadRelease(f"{name!r}: {problem}") from None
        return name, below / "original.mp4"

    with MediaChildren() as children, ThreadPoolExecutor(max_workers=os.cpu_count() or 1) as pool:
        return dict(pool.map(write, enumerate(checked.clips)))


def _save(clip_set: ClipSet, checked: CheckedFolder) -> list[GeneratedClip]:
    card, rows = checked.card, _clips_of(clip_set, checked)
    GeneratedClip.objects.bulk_create(rows, batch_size=BATCH)
    slug, alike = _slug(clip_set, card.title)
    facts = {
        "generator": _generator(card),
        "title": f"{card.title}{f' ({alike})' if alike else ''}",
        "slug": slug,
        "card": dict(card.fields),
        "identity": card.identity,
        "sha256": checked.sha256,
        "findings": _storable(checked.findings),
        "is_simulated": card.fields["access"] == MADE_HERE,
        "clips_done": len(rows),
        "clips_total": len(rows),
    }
    leasing.end(clip_set, ClipSetState.CHECKED, **facts)
    RowChange.objects.create(clip_set=clip_set, asked_by="this site", what=f"checked: {len(rows)} clips without errors")
    return rows


def _clips_of(clip_set: ClipSet, checked: CheckedFolder) -> list[GeneratedClip]:
    prompts = {prompt.key: prompt for prompt in clip_set.pack.prompts.all()}
    return [
        GeneratedClip(
            clip_set=clip_set,
            prompt=prompts[entry.prompt],
            take=entry.take,
            seed=entry.seed,
            file=entry.file,
            sha256=checked.clips[entry.file].sha256,
            facts={name: getattr(checked.clips[entry.file], name) for name in MADE},
            truth=checked.truths.get((entry.prompt, entry.take)),
        )
        for entry in checked.entries
    ]


def _generator(card: Card) -> Generator:
    """The card's generator: the one of this name, or a new one."""
    name, role = card.fields["generator"], card.fields.get("role", "generator")
    slug = slugify(name)[:60] or f"generator-{name.encode().hex()[:40]}"
    return known_generator(card) or Generator.objects.create(
        slug=slug, title=name, access=card.fields["access"], role=role
    )


def _slug(clip_set: ClipSet, title: str) -> tuple[str, int]:
    """An address for the set: its title, with a number if another has that; and the number, 0 for none."""
    start = slugify(title)[:50] or clip_set.key[:12]
    others = set(ClipSet.objects.filter(slug__startswith=start).values_list("slug", flat=True))
    if start not in others:
        return start, 0
    return next((slug, number) for number in count(2) if (slug := f"{start}-{number}") not in others)


@contextmanager
def _progress(clip_set: ClipSet) -> Iterator[Progress]:
    """Renews the lease and stores how far the look at clips is, from a connection of its own."""
    clips = {"clips_done": 0, "clips_total": 0}

    def show(done: int, total: int) -> None:
        heartbeat.check()
        clips.update(clips_done=done, clips_total=total)

    with leasing.LeaseHeartbeat(clip_set, seconds=LEASE, every=BEAT, facts=clips.copy) as heartbeat:
        yield show
