"""The only writer of packs, clips and items. Equal content imported again changes nothing; other content is refused."""

import hashlib
from base64 import b32encode
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import repeat
from pathlib import Path

from django.db import IntegrityError, connection, models, transaction

from benchmarks.definitions.definition import Benchmark, ItemRow, Release
from benchmarks.definitions.registry import find_benchmark
from benchmarks.disclosure.readers import Answer, store_answers
from benchmarks.disclosure.seals import hide_copies
from benchmarks.errors import BadRelease, BeingImported, ContentRefused
from benchmarks.models import OPEN_KINDS, Clip, Item, ItemFacet, ItemMedia, Origin, Pack, PackFile, Rendition
from benchmarks.models.public_ids import new_public_id
from benchmarks.storage.staging import Progress, StagedClip, stage_clips
from benchmarks.storage.store import TRAJECTORY, naming_secret, sha256_of, staging, store, stored_name, trajectory_name


def manifest_of(release: Release) -> dict[str, str]:
    """SHA-256 of every clip and label file of the release, by official path."""
    files = (*(clip.path for clip in release.clips), *release.texts)
    return {path.relative_to(release.root).as_posix(): sha256_of(Path(path)) for path in sorted(files)}


def manifest_hash(manifest: dict[str, str], definition_version: str, split: str | None) -> str:
    lines = [f"{path} {digest}" for path, digest in sorted(manifest.items())]
    lines.append(f"definition {definition_version}")
    if split:
        lines.append(f"split {split}")
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()


def _own_hash(benchmark: Benchmark, plain: str) -> str:
    """The hash of these files within this benchmark; stored names derive from it, and benchmarks may share files."""
    own = hashlib.sha256(f"{benchmark.slug}\n{plain}".encode()).hexdigest()
    known = dict(Pack.objects.filter(manifest_hash__in=(plain, own)).values_list("benchmark", "manifest_hash"))
    return known.get(benchmark.slug) or (own if known else plain)


def content_key(benchmark: str, manifest: str, key: str, kind: str, variant: str) -> str:
    """A key that is equal for equal content on every site, so that runs draw alike. Anybody can compute it."""
    digest = hashlib.sha256("\n".join((benchmark, manifest, key, kind, variant)).encode()).digest()
    return b32encode(digest).decode().lower()[:12]


def refuse_other_content(pack: Pack, manifest: dict[str, str], benchmark: Benchmark) -> None:
    """Raise ContentRefused with the first file that differs from the stored pack's."""
    if pack.definition_version != benchmark.version:
        what = f"was imported under definition {pack.definition_version}, this is {benchmark.version}"
    else:
        what = _first_difference(dict(pack.files.values_list("path", "sha256")), manifest)
    raise ContentRefused(f"pack {pack.name} has other content: {what}; choose another name with --pack")


def _first_difference(standing: dict[str, str], claimed: dict[str, str]) -> str:
    for path in sorted(standing.keys() | claimed.keys()):
        if path not in claimed:
            return f"{path} is missing"
        if path not in standing:
            return f"{path} is new"
        if standing[path] != claimed[path]:
            return f"{path} differs"
    return "another part of it was imported"


BATCH = 500
SIZES = ("width", "height", "fps", "frames", "seconds")  # of a clip, as it was counted


@dataclass(frozen=True)
class ImportReport:
    """The result of an import; `is_new` is False if the pack was stored before."""

    pack: Pack
    clips: int
    items: int
    problems: tuple[tuple[str, str], ...]
    changes: tuple[tuple[str, str], ...]  # in clips, to bring them into their one form
    is_new: bool
    gaps: tuple[tuple[str, str], ...] = ()  # parts of a complete release that are missing


def import_release(
    benchmark: Benchmark,
    root: Path,
    *,
    pack_name: str | None = None,
    split: str | None = None,
    progress: Progress | None = None,
) -> ImportReport:
    """Store a release in the official layout as a pack; a failure leaves neither files nor rows."""
    release = read_release(benchmark, root, split)
    return store_release(benchmark, release, pack_name=pack_name, split=split, progress=progress)


def store_release(
    benchmark: Benchmark,
    release: Release,
    *,
    pack_name: str | None = None,
    split: str | None = None,
    progress: Progress | None = None,
    strict: bool = False,
) -> ImportReport:
    """Store a release as a pack; with `strict` one clip with a problem refuses the whole import."""
    _refuse_empty(release)
    manifest = manifest_of(release)
    digest = _own_hash(benchmark, manifest_hash(manifest, benchmark.version, split))
    name = pack_name or default_name(release, split)
    standing = _standing_pack(benchmark, name, digest, is_named=pack_name is not None)
    if standing:
        if standing.manifest_hash != digest:
            refuse_other_content(standing, manifest, benchmark)
        return _report(standing, release, is_new=False)
    pack = _new_pack(benchmark, name, release, digest)
    with staging() as folder:
        staged = stage_clips(release.clips, folder, manifest_hash=digest, secret=naming_secret(), progress=progress)
        if strict:
            _refuse_problems(_problems_of(staged, release.root, benchmark))
        try:
            _store(pack, release, manifest, staged)
        except IntegrityError:
            raise BeingImported(f"pack {name} is being imported by somebody else; look again when it is done") from None
    return _report(pack, release, is_new=True)


def _refuse_empty(release: Release) -> None:
    """Raise BadRelease if all clips are empty files, which a failed download leaves."""
    sizes = [clip.path.stat().st_size for clip in release.clips]
    if sizes and not any(sizes):
        raise BadRelease(f"{release.root}: all {len(sizes)} clips are empty (0 bytes)")


def _refuse_problems(problems: Iterable[tuple[str, str]]) -> None:
    found = [f"{where}: {what}" for where, what in problems]
    if found:
        clips = "one clip" if len(found) == 1 else f"{len(found)} clips"
        raise BadRelease(f"{clips} can't be taken as is, first {found[0]}; nothing is stored")


@transaction.atomic
def save_questions(benchmark: Benchmark, *, name: str, title: str, profile: str, rows: Sequence[ItemRow]) -> Pack:
    """Store text-only questions as a pack without a release; ContentRefused for other content of the same name."""
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


def _title(name: str) -> str:
    """The title for a name: `small` is "Small clips", `my-clips` is "My clips"."""
    words = name.replace("-", " ").capitalize()
    return words if words.casefold().endswith("clips") else f"{words} clips"


def _new_pack(benchmark: Benchmark, name: str, release: Release, digest: str) -> Pack:
    return Pack(
        benchmark=benchmark.slug,
        name=name,
        title=_title(name),
        origin=release.origin,
        profile=release.profile,
        definition_version=benchmark.version,
        manifest_hash=digest,
    )


def default_name(release: Release, split: str | None) -> str:
    return "-".join(filter(None, (release.profile or release.origin, split)))


def read_release(benchmark: Benchmark, root: Path, split: str | None = None) -> Release:
    """The release in this folder, or only its items in `split`; stores nothing."""
    if split and split not in benchmark.splits:
        raise BadRelease(f"{benchmark.slug} has no split {split!r}; it has: {', '.join(benchmark.splits)}")
    if benchmark.read_release is not None and not root.is_dir():
        raise BadRelease(f"{root}: no such folder")
    release = release_of(benchmark, root.resolve())
    if not split:
        return release
    rows = tuple(row for row in release.rows if split in row.splits)
    used = {use.key for row in rows for use in row.uses}
    return replace(release, rows=rows, clips=tuple(clip for clip in release.clips if clip.key in used))


def release_of(benchmark: Benchmark, root: Path) -> Release:
    """The release as read by the benchmark's importer; BadRelease if there is no importer yet."""
    if benchmark.read_release is None:
        raise BadRelease(f"releases of {benchmark.title} can't be imported yet: it has no importer here")
    return benchmark.read_release(root)


def _standing_pack(benchmark: Benchmark, name: str, digest: str, *, is_named: bool) -> Pack | None:
    packs = Pack.objects.filter(benchmark=benchmark.slug)
    same = packs.filter(manifest_hash=digest).first()
    if same and is_named and same.name != name:
        raise ContentRefused(f"the same content exists as pack {same.name}; nothing to import as {name}")
    return same or packs.filter(name=name).first()


@transaction.atomic
def _store(pack: Pack, release: Release, manifest: dict[str, str], staged: Sequence[StagedClip]) -> None:
    """Store rows first and files last: if a file can't be stored, rows are rolled back and files removed."""
    problems = _problems_of(staged, release.root, find_benchmark(pack.benchmark))
    found = (*release.problems, *release.notes, *problems)
    pack.problems = [{"where": where, "what": what} for where, what in found]
    pack.changes = [{"where": where, "what": what} for where, what in _changes_of(staged, release.root)]
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
    hide_copies()
    store().put({file.path: stored_name(kind, file.name) for clip in staged for kind, file in clip.files.items()})


def _problems_of(staged: Sequence[StagedClip], root: Path, benchmark: Benchmark) -> Iterator[tuple[str, str]]:
    """Problems of single clips: official key, then file and reason."""
    for clip in staged:
        file = clip.clip.path.relative_to(root).as_posix()
        if clip.problem:
            yield clip.clip.key, f"{file}: {clip.problem}"
        elif "audio" in benchmark.conditions and not (clip.facts and clip.facts.has_sound):
            yield clip.clip.key, f"{file}: holds no sound: its questions are errors where sound is played"


def _changes_of(staged: Sequence[StagedClip], root: Path) -> Iterator[tuple[str, str]]:
    """What was changed in clips to bring them into their one form: official key, then file and words."""
    for clip in staged:
        if clip.facts and clip.facts.changes:
            yield clip.clip.key, f"{clip.clip.path.relative_to(root).as_posix()}: {', '.join(clip.facts.changes)}"


def _clip(pack: Pack, staged: StagedClip, sha256: str) -> Clip:
    clip, trajectory = staged.clip, staged.files.get(TRAJECTORY)
    sizes = {name: getattr(staged.facts, name) if staged.facts else 0 for name in SIZES}
    return Clip(
        pack=pack,
        key=clip.key,
        sha256=sha256,
        **sizes,
        facts=dict(clip.facts),
        trajectory=trajectory_name(trajectory.name) if trajectory else "",
        problem=staged.problem,
    )


def _store_items(pack: Pack, rows: Sequence[ItemRow], clips: dict[str, Clip]) -> None:
    rules = find_benchmark(pack.benchmark).groups
    rule = rules.rule if rules else ""
    items = Item.objects.bulk_create([_item(pack, row, rule) for row in rows], batch_size=BATCH)
    pairs = list(zip(items, rows, strict=True))
    store_answers({item.pk: Answer(row.expected, row.reference) for item, row in pairs})
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


def _item(pack: Pack, row: ItemRow, rule: str) -> Item:
    return Item(
        pack=pack,
        key=row.key,
        kind=row.kind,
        variant=row.variant,
        draw_key=_draw_key(pack, row),
        text=row.text,
        lead_in=row.lead_in,
        answer_kind=row.answer_kind,
        options=list(row.options),
        group=row.group,
        place=row.place,
        rule=(row.rule or rule) if row.group else "",
    )


def _draw_key(pack: Pack, row: ItemRow) -> str:
    """A key from the content; a random one if the answer is withheld, so that draws don't reveal the item."""
    if row.expected is None and row.answer_kind not in OPEN_KINDS:
        return new_public_id()
    return content_key(pack.benchmark, pack.manifest_hash, row.key, row.kind, row.variant)


def _report(pack: Pack, release: Release, *, is_new: bool) -> ImportReport:
    """The report, with the folder's present problems before the stored ones; they can differ for equal content."""
    stored = ((problem["where"], problem["what"]) for problem in pack.problems)
    problems = tuple(dict.fromkeys((*release.problems, *release.notes, *stored)))
    changes = tuple((change["where"], change["what"]) for change in pack.changes)
    return ImportReport(pack, pack.clips.count(), pack.items.count(), problems, changes, is_new, release.gaps)


def learn_sizes(*tables: type[models.Model]) -> None:
    """Update PostgreSQL's statistics of these tables, or of all; SQLite's query plans don't depend on statistics."""
    if connection.vendor != "postgresql":
        return
    names = ", ".join(connection.ops.quote_name(table._meta.db_table) for table in tables)
    with connection.cursor() as cursor:
        cursor.execute(f"ANALYZE {names}")
