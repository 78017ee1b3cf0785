"""A folder with a clip set: card.toml, manifest.csv, the clips that it names, and truth.csv of clips made here."""

import hashlib
import os
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from queue import SimpleQueue

from django.db.models import Q
from django.utils.text import slugify

from benchmarks.definitions.release_bounds import is_litter, refuse_links
from benchmarks.encoding.probe import UnreadableMedia
from benchmarks.encoding.sandbox import MediaChild
from benchmarks.errors import BadRelease
from benchmarks.packs.folder_check import OtherReport
from benchmarks.storage.store import store
from extensions.generated.clipsets import truth
from extensions.generated.clipsets.card import MADE_HERE, Card, read_card
from extensions.generated.clipsets.card import NAME as CARD
from extensions.generated.clipsets.clip_facts import ClipSeen, UnseenClipError
from extensions.generated.clipsets.findings import ClipSetFinding, error
from extensions.generated.clipsets.lint import ClipSetReport, Progress, See, lint
from extensions.generated.clipsets.manifest import NAME, ManifestEntry, read_manifest
from extensions.generated.models import ClipSet, ClipSetState, Generator, PromptPack


class SeeingChild(MediaChild):
    """A limited process that looks at one clip after another."""

    module = "extensions.generated.clipsets.seeing_child"

    def see(self, path: Path, first: Path | None) -> ClipSeen:
        """Raises UnseenClipError with the reason."""
        wanted = {"source": str(path.resolve()), "first": str(first.resolve()) if first else None}
        try:
            return ClipSeen(**self._answer(wanted)["seen"])
        except UnreadableMedia as unreadable:
            raise UnseenClipError(str(unreadable)) from None


@dataclass(frozen=True)
class CheckedFolder(ClipSetReport):
    """What a clip set's folder holds, and everything that was found."""

    root: Path
    card: Card
    entries: tuple[ManifestEntry, ...]
    truths: truth.Truths

    @property
    def sha256(self) -> str:
        """Of the sorted list of files and their hashes."""
        lines = sorted(f"{name} {seen.sha256}\n" for name, seen in self.clips.items())
        return hashlib.sha256("".join(lines).encode()).hexdigest()


def is_clip_set(root: Path) -> bool:
    return (root / NAME).is_file()


def pack_of(root: Path) -> PromptPack | None:
    """The prompt pack that the card names; None if there is none of this name."""
    return PromptPack.objects.filter(slug=str(read_card(_text(root / CARD)).fields.get("prompts", ""))).first()


def check_folder(root: Path, progress: Progress) -> OtherReport | None:
    """What is wrong with the clip set in this folder; None if it has no manifest."""
    if not is_clip_set(root):
        return None
    pack = pack_of(root)
    checked = looked_at(root, pack, progress)
    return OtherReport(
        title=f"{len(checked.clips)} clips for {pack.prompts.count() if pack else 0} prompts",
        errors=tuple((each.place, each.text) for each in checked.errors),
        notes=tuple((each.place, each.text) for each in checked.notes),
    )


def looked_at(
    root: Path, pack: PromptPack | None, progress: Progress, *, may_be_made_here: bool = True
) -> CheckedFolder:
    """Look at everything in the folder; without the pack, prompts are not compared."""
    card, manifest = read_card(_text(root / CARD)), read_manifest(_text(root / NAME))
    findings = [*_of_pack(card, pack), *_of_links(root), *_of_row(card, pack)]
    is_made_here = card.fields.get("access") == MADE_HERE
    if is_made_here and not may_be_made_here:
        findings.append(error(f"{CARD}, access", "made-here", "only this site's administrators say so"))
    present = [path.relative_to(root).as_posix() for path in sorted(root.rglob("*")) if path.is_file()]
    clips = [name for name in present if name not in (NAME, CARD, truth.NAME) and not _is_odd(name)]
    firsts = {prompt.key: prompt.first_frame for prompt in pack.prompts.all()} if pack else {}
    frames = firsts if card.fields.get("input") == "i2v" else {}
    with _seen_at_once(root, [entry for entry in manifest[0] if entry.file in clips], frames) as see:
        report = lint(card, manifest, list(firsts), clips, see, progress=progress)
    findings += [each for each in report.findings if pack or not each.code.startswith(("prompt-", "take-"))]
    truths, wrong = _truths(root, manifest[0], is_made_here=is_made_here)
    ordered = sorted([*findings, *wrong], key=lambda finding: finding.weight)
    return CheckedFolder(tuple(ordered), report.clips, root, card, tuple(manifest[0]), truths)


@contextmanager
def _seen_at_once(root: Path, entries: list[ManifestEntry], firsts: dict[str, str]) -> Iterator[See]:
    """Looks at clips ahead, a process for each core; gives what was seen of one when it is asked for."""

    def look(entry: ManifestEntry) -> ClipSeen:
        first, child = firsts.get(entry.prompt), free.get()
        try:
            return child.see(root / entry.file, store().local(first) if first else None)
        finally:
            free.put(child)

    children = [SeeingChild() for _core in range(os.cpu_count() or 1)]
    free: SimpleQueue[SeeingChild] = SimpleQueue()
    for child in children:
        free.put(child)
    pool = ThreadPoolExecutor(max_workers=len(children))
    try:
        ahead = {entry.file: pool.submit(look, entry) for entry in entries}
        yield lambda entry: ahead[entry.file].result()
    finally:
        pool.shutdown(cancel_futures=True)
        for child in children:
            child.end()


def _of_pack(card: Card, pack: PromptPack | None) -> Iterator[ClipSetFinding]:
    slug = card.fields.get("prompts", "")
    if pack is None:
        known = ", ".join(PromptPack.objects.values_list("slug", flat=True)) or "none yet"
        yield error(f"{CARD}, prompts", "prompts", f"{slug!r} is no prompt pack here; there are: {known}")
    elif slug != pack.slug:
        yield error(f"{CARD}, prompts", "prompts", f"says {slug!r}, and was sent for {pack.slug!r}")


def _of_links(root: Path) -> Iterator[ClipSetFinding]:
    try:
        refuse_links(root)
    except BadRelease as refused:
        yield error(str(refused).partition(":")[0], "link", "is a link that leads out of the folder")


def known_generator(card: Card) -> Generator | None:
    """The generator of the card's name, however it writes its capitals and signs."""
    name = str(card.fields.get("generator", ""))
    return Generator.objects.filter(Q(slug=slugify(name)) | Q(title__iexact=name)).first()


def _of_row(card: Card, pack: PromptPack | None) -> Iterator[ClipSetFinding]:
    """Another set with the same identity has this row already, or its generator another role."""
    generator, role = known_generator(card), card.fields.get("role", "generator")
    if generator and generator.role != role:
        yield error(f"{CARD}, role", "role", f"is {role}, and {generator.title} is a {generator.role} here")
    rows = ClipSet.objects.filter(
        pack=pack, identity=card.identity, state__in=(ClipSetState.CHECKED, ClipSetState.LISTED)
    )
    if pack and (other := rows.first()):
        what = f"{other.title} ({other.slug}) is the same row: nothing that changes clips differs"
        yield error(f"{CARD}, version", "row", what)


def _truths(
    root: Path, entries: list[ManifestEntry], *, is_made_here: bool
) -> tuple[truth.Truths, list[ClipSetFinding]]:
    if not (root / truth.NAME).is_file():
        return {}, []
    if not is_made_here:
        return {}, [error(truth.NAME, "truth", f"is read of clips alone whose card says access = {MADE_HERE!r}")]
    return truth.read_truths(
        _text(root / truth.NAME), list(dict.fromkeys((entry.prompt, entry.take) for entry in entries))
    )


def _is_odd(name: str) -> bool:
    """Whether a file manager or an editor left this file."""
    return is_litter(name) or any(part.startswith(".") for part in name.split("/"))


def _text(path: Path) -> str:
    """The file's text; "" without one, so that everything that is missing is named."""
    return path.read_text(encoding="utf-8-sig", errors="replace") if path.is_file() else ""
