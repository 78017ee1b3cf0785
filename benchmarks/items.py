"""The only writer of packs, clips and items. Content never changes: the same again is a no-op, other is refused."""

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import repeat
from pathlib import Path

from django.db import IntegrityError, transaction

from benchmarks.definition import Benchmark, ItemRow, Release
from benchmarks.errors import BadRelease, BeingImported, ContentRefused
from benchmarks.manifest import manifest_hash, manifest_of, public_id, refuse_other_content
from benchmarks.media_staging import Progress, StagedClip, stage_clips
from benchmarks.media_store import TRAJECTORY, naming_secret, staging, store, stored_name, trajectory_name
from benchmarks.models import Clip, Item, ItemFacet, ItemMedia, Origin, Pack, PackFile, Rendition
from benchmarks.planner import learn_sizes
from benchmarks.registry import find_benchmark

BATCH = 500


@dataclass(frozen=True)
class ImportReport:
    """What an import found and stored; `is_new` is False when all of it stood already."""

    pack: Pack
    clips: int
    items: int
    problems: tuple[tuple[str, str], ...]
    is_new: bool


def import_release(
    benchmark: Benchmark,
    root: Path,
    *,
    pack_name: str | None = None,
    split: str | None = None,
    progress: Progress | None = None,
) -> ImportReport:
    """Store a release in the official layout as a pack: files and rows together, or nothing."""
    release = _read(benchmark, root, split)
    return store_release(benchmark, release, pack_name=pack_name, split=split, progress=progress)


def store_release(
    benchmark: Benchmark,
    release: Release,
    *,
    pack_name: str | None = None,
    split: str | None = None,
    progress: Progress | None = None,
) -> ImportReport:
    """Store as a pack what was read, or gathered here."""
    manifest = manifest_of(release)
    digest = manifest_hash(manifest, benchmark.version, split)
    name = pack_name or default_name(release, split)
    standing = _standing_pack(benchmark, name, digest, is_named=pack_name is not None)
    if standing:
        if standing.manifest_hash != digest:
            refuse_other_content(standing, manifest, benchmark)
        return _report(standing, is_new=False)
    pack = _new_pack(benchmark, name, release, digest)
    with staging() as folder:
        staged = stage_clips(release.clips, folder, manifest_hash=digest, secret=naming_secret(), progress=progress)
        try:
            _store(pack, release, manifest, staged)
        except IntegrityError:
            raise BeingImported(f"pack {name} is being imported by somebody else; look again when it is done") from None
    return _report(pack, is_new=True)


@transaction.atomic
def save_questions(benchmark: Benchmark, *, name: str, title: str, profile: str, rows: Sequence[ItemRow]) -> Pack:
    """Questions in words alone as a pack of their own, without a release; other content under a name is refused."""
    digest = hashlib.sha256(repr([name, *rows]).encode()).hexdigest()
    standing = Pack.objects.filter(benchmark=benchmark.slug, name=name).first()
    if standing and standing.manifest_hash != digest:
        raise ContentRefused(f"pack {name} has other content; choose another name with --pack")
    if standing:
        return standing
    pack = _new_pack(benchmark, name, Release((), tuple(rows), origin=Origin.GENERATED, profile=profile), digest)
    pack.title = title
    pack.save()
    _store_items(pack, rows, {})
    return pack


def _new_pack(benchmark: Benchmark, name: str, release: Release, digest: str) -> Pack:
    return Pack(
        benchmark=benchmark.slug,
        name=name,
        title=f"{name.replace('-', ' ').capitalize()} clips",
        origin=release.origin,
        profile=release.profile,
        definition_version=benchmark.version,
        manifest_hash=digest,
    )


def default_name(release: Release, split: str | None) -> str:
    return "-".join(filter(None, (release.profile or release.origin, split)))


def _read(benchmark: Benchmark, root: Path, split: str | None) -> Release:
    if split and split not in benchmark.splits:
        raise BadRelease(f"{benchmark.slug} has no split {split!r}; it has: {', '.join(benchmark.splits)}")
    if benchmark.read_release is not None and not root.is_dir():
        raise BadRelease(f"{root}: no such folder")
    release = release_of(benchmark, root.resolve())
    if not split:
        return release
    rows = tuple(row for row in release.rows if split in row.splits)
    used = {use.key for row in rows for use in row.uses}
    return Release(
        **{**vars(release), "rows": rows, "clips": tuple(clip for clip in release.clips if clip.key in used)}
    )


def release_of(benchmark: Benchmark, root: Path) -> Release:
    """What the benchmark's importer finds in this folder; BadRelease where there is no importer yet."""
    if benchmark.read_release is None:
        raise BadRelease(f"releases of {benchmark.title} can't be imported yet: it has no importer here")
    return benchmark.read_release(root)


def _standing_pack(benchmark: Benchmark, name: str, digest: str, *, is_named: bool) -> Pack | None:
    packs = Pack.objects.filter(benchmark=benchmark.slug)
    same = packs.filter(manifest_hash=digest).first()
    if same and is_named and same.name != name:
        raise ContentRefused(f"the same content stands as pack {same.name}; nothing to import as {name}")
    return same or packs.filter(name=name).first()


@transaction.atomic
def _store(pack: Pack, release: Release, manifest: dict[str, str], staged: Sequence[StagedClip]) -> None:
    """Rows first, files last: if a file can't be stored, the rows are rolled back and the files taken back."""
    found = (*release.problems, *_problems_of(staged, release.root, find_benchmark(pack.benchmark)))
    pack.problems = [{"where": where, "what": what} for where, what in found]
    pack.save()
    PackFile.objects.bulk_create(
        [PackFile(pack=pack, path=path, sha256=digest) for path, digest in manifest.items()], batch_size=BATCH
    )
    sums = [manifest[clip.clip.path.relative_to(release.root).as_posix()] for clip in staged]
    clips = Clip.objects.bulk_create(map(_clip, repeat(pack), staged, sums), batch_size=BATCH)
    by_key = {clip.key: clip for clip in clips}
    Rendition.objects.bulk_create(
        [
            Rendition(clip=by_key[clip.clip.key], kind=kind, name=file.name, sha256=file.sha256, size=file.size)
            for clip in staged
            for kind, file in clip.files.items()
            if kind != TRAJECTORY
        ],
        batch_size=BATCH,
    )
    _store_items(pack, release.rows, by_key)
    store().put({file.path: stored_name(kind, file.name) for clip in staged for kind, file in clip.files.items()})


def _problems_of(staged: Sequence[StagedClip], root: Path, benchmark: Benchmark) -> Iterator[tuple[str, str]]:
    """What is wrong with single clips, by their official keys, with the file and the reason."""
    for clip in staged:
        file = clip.clip.path.relative_to(root).as_posix()
        if clip.problem:
            yield clip.clip.key, f"{file}: {clip.problem}"
        elif "audio" in benchmark.conditions and not clip.has_sound:
            yield clip.clip.key, f"{file}: holds no sound: its questions are errors where sound is played"


def _clip(pack: Pack, staged: StagedClip, sha256: str) -> Clip:
    given, trajectory = staged.clip, staged.files.get(TRAJECTORY)
    return Clip(
        pack=pack,
        key=given.key,
        sha256=sha256,
        width=staged.width,
        height=staged.height,
        fps=staged.fps,
        frames=staged.frames,
        seconds=staged.seconds,
        facts=dict(given.facts),
        trajectory=trajectory_name(trajectory.name) if trajectory else "",
        problem=staged.problem,
    )


def _store_items(pack: Pack, rows: Sequence[ItemRow], clips: dict[str, Clip]) -> None:
    items = Item.objects.bulk_create([_item(pack, row) for row in rows], batch_size=BATCH)
    pairs = list(zip(items, rows, strict=True))
    ItemMedia.objects.bulk_create(
        [
            ItemMedia(item=item, clip=clips[use.key], role=use.role, position=use.position)
            for item, row in pairs
            for use in row.uses
        ],
        batch_size=BATCH,
    )
    ItemFacet.objects.bulk_create(
        [
            ItemFacet(item=item, name=name, value=value)
            for item, row in pairs
            for name, values in {**row.facets, "split": row.splits}.items()
            for value in values
        ],
        batch_size=BATCH,
    )
    transaction.on_commit(partial(learn_sizes, Clip, Item, ItemMedia, ItemFacet))


def _item(pack: Pack, row: ItemRow) -> Item:
    return Item(
        pack=pack,
        key=row.key,
        kind=row.kind,
        variant=row.variant,
        public_id=public_id(pack.benchmark, pack.manifest_hash, row.key, row.kind, row.variant),
        text=row.text,
        lead_in=row.lead_in,
        answer_kind=row.answer_kind,
        options=list(row.options),
        expected=row.expected,
        reference=dict(row.reference),
    )


def _report(pack: Pack, *, is_new: bool) -> ImportReport:
    problems = tuple((problem["where"], problem["what"]) for problem in pack.problems)
    return ImportReport(pack, pack.clips.count(), pack.items.count(), problems, is_new)
