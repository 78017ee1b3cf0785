"""All that is wrong with a clip set, at once: manifest, card, and every clip against the card."""

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from extensions.generated.clipsets.card import MADE_HERE, Card
from extensions.generated.clipsets.clip_facts import ClipSeen, UnseenClipError
from extensions.generated.clipsets.findings import ClipSetFinding, Weight, error, note
from extensions.generated.clipsets.manifest import ManifestEntry, check_entries

RATE_SLACK = 0.01  # pictures a second
ALIKE = 0.9  # structural similarity (SSIM) of a first picture and the one that was given
BLACK, FLAT, STILL = 8.0, 3.0, 0.001  # mean grey level; its spread within a picture; share of pixels that changed
LARGEST = 500_000_000  # bytes of one clip


@dataclass(frozen=True)
class ClipSetReport:
    """Every finding, errors first, in the order of the manifest."""

    findings: tuple[ClipSetFinding, ...]
    clips: Mapping[str, ClipSeen]

    @property
    def errors(self) -> list[ClipSetFinding]:
        return [finding for finding in self.findings if finding.weight == Weight.ERROR]

    @property
    def notes(self) -> list[ClipSetFinding]:
        return [finding for finding in self.findings if finding.weight == Weight.NOTE]


See = Callable[[ManifestEntry], ClipSeen]  # raises UnseenClipError
Progress = Callable[[int, int], None]


def lint(
    card: Card,
    manifest: tuple[Sequence[ManifestEntry], Sequence[ClipSetFinding]],
    prompts: Sequence[str],
    files: Sequence[str],
    see: See,
    *,
    progress: Progress = lambda done, of: None,
) -> ClipSetReport:
    """Look at everything, whatever is wrong before: a second upload should not meet a second list."""
    entries, problems = manifest
    findings = [*card.problems, *problems]
    if not any(problem.code == "csv" for problem in problems):  # else lines are missing that nobody could read
        findings += check_entries(entries, prompts, files)
    present = set(files)
    unique = list({entry.file: entry for entry in entries if entry.file in present}.values())
    clips: dict[str, ClipSeen] = {}
    for number, entry in enumerate(unique, 1):
        try:
            clip = clips[entry.file] = see(entry)
            findings += [*_against_card(entry, clip, card), *_strange(entry, clip)]
        except UnseenClipError as unseen:
            findings.append(error(entry.place, "unreadable", f"{entry.file!r}: {unseen}"))
        progress(number, len(unique))
    weight = Weight.NOTE if card.fields.get("access") == MADE_HERE else Weight.ERROR  # copies are made here on purpose
    findings += _same_bytes(unique, clips, weight)
    return ClipSetReport(tuple(sorted(findings, key=lambda finding: finding.weight)), clips)


def _against_card(entry: ManifestEntry, seen: ClipSeen, card: Card) -> Iterator[ClipSetFinding]:
    for code, name, value, slack, unit in (
        ("fps", "fps", seen.fps, RATE_SLACK, "pictures a second"),
        ("width", "width", seen.width, 0, "pixels wide"),
        ("height", "height", seen.height, 0, "pixels high"),
    ):
        wanted = card.number(name)
        if wanted is not None and abs(value - wanted) > slack + 1e-9:
            yield error(entry.place, code, f"{entry.file!r} has {value:g} {unit}, the card says {wanted:g}")
    wanted, picture = card.number("seconds"), 1 / seen.fps
    if wanted is None or abs(seen.seconds - wanted) <= picture / 2:
        return
    text = f"{entry.file!r} lasts {seen.seconds:.3g} s, the card says {wanted:g} s"
    if abs(seen.seconds - wanted - picture) <= picture / 2:
        text += ": one picture too many; if the first is the one that was given, cut it off"
    elif card.fields.get("input") == "v2v" and seen.seconds > wanted:
        text += "; the seconds that were given belong cut off"
    yield error(entry.place, "length", text)


def _strange(entry: ManifestEntry, seen: ClipSeen) -> Iterator[ClipSetFinding]:
    if seen.size > LARGEST:
        yield error(entry.place, "too-large", f"{entry.file!r} is larger than {LARGEST // 1_000_000} MB")
    if seen.moved <= STILL:
        yield note(entry.place, "nothing-moves", f"nothing moves in {entry.file!r}")
    elif seen.largest_jump > 0.9:
        yield note(entry.place, "jump", f"nearly all change in {entry.file!r} is one jump")
    if seen.darkest < BLACK:
        yield note(entry.place, "black", f"{entry.file!r} has a black picture")
    elif seen.flattest < FLAT:
        yield note(entry.place, "one-colour", f"{entry.file!r} has a picture of one colour")
    if seen.likeness is not None and seen.likeness < ALIKE:
        what = f"the first picture of {entry.file!r} differs from the one that was given"
        yield note(entry.place, "first-frame", f"{what} (similarity {max(0.0, seen.likeness):.2f})")
    if seen.has_sound:
        yield note(entry.place, "sound", f"{entry.file!r} has sound; raters hear none")


def _same_bytes(
    entries: Sequence[ManifestEntry], clips: Mapping[str, ClipSeen], weight: Weight
) -> Iterator[ClipSetFinding]:
    alike: dict[str, list[ManifestEntry]] = defaultdict(list)
    for entry in entries:
        if entry.file in clips:
            alike[clips[entry.file].sha256].append(entry)
    for first, *others in alike.values():
        for entry in others:
            text = f"{entry.file!r} is the same file as {first.file!r}, line {first.line}"
            yield ClipSetFinding(weight, entry.place, "same-bytes", text)
