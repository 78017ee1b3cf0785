"""Checks a folder with a clip set, for `check_benchmark`: card.toml, manifest.csv, and the clips that it names."""

from collections.abc import Callable
from pathlib import Path

from benchmarks.encoding.probe import UnreadableMedia
from benchmarks.encoding.sandbox import MediaChild
from benchmarks.packs.folder_check import OtherReport
from extensions.generated.clipsets.card import read_card
from extensions.generated.clipsets.findings import error
from extensions.generated.clipsets.lint import ClipSeen, UnseenClipError, lint
from extensions.generated.clipsets.manifest import NAME, read_manifest
from extensions.generated.models import PromptPack

CARD = "card.toml"


class SeeingChild(MediaChild):
    """A limited process that looks at one clip after another."""

    module = "extensions.generated.clipsets.seeing_child"

    def see(self, path: Path) -> ClipSeen:
        """Raises UnseenClipError with the reason."""
        try:
            return ClipSeen(**self._answer({"source": str(path.resolve())})["seen"])
        except UnreadableMedia as unreadable:
            raise UnseenClipError(str(unreadable)) from None


def check_folder(folder: Path, progress: Callable[[int, int], None]) -> OtherReport | None:
    """What is wrong with the clip set in this folder; None if it has no manifest."""
    if not (folder / NAME).is_file():
        return None
    card = read_card(_text(folder / CARD))
    slug = str(card.fields.get("prompts", ""))
    pack = PromptPack.objects.filter(slug=slug).first()
    prompts = list(pack.prompts.values_list("key", flat=True)) if pack else []
    files = sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())
    clips = [name for name in files if name not in (NAME, CARD) and not name.startswith(".")]
    child = SeeingChild()
    try:
        manifest = read_manifest(_text(folder / NAME))
        report = lint(card, manifest, prompts, clips, lambda entry: child.see(folder / entry.file), progress=progress)
    finally:
        child.end()
    problems = list(report.findings)
    if pack is None:
        known = ", ".join(PromptPack.objects.values_list("slug", flat=True)) or "none yet"
        problems.insert(0, error(f"{CARD}, prompts", "prompts", f"{slug!r} is no prompt pack here; there are: {known}"))
        problems = [problem for problem in problems if not problem.code.startswith(("prompt-", "take-"))]
    return OtherReport(
        title=f"{len(report.clips)} clips for {len(prompts)} prompts",
        errors=tuple((problem.place, problem.text) for problem in problems if problem.weight == "error"),
        notes=tuple((problem.place, problem.text) for problem in problems if problem.weight == "note"),
    )


def _text(path: Path) -> str:
    """The file's text; "" without one, so that everything that is missing is named."""
    return path.read_text(encoding="utf-8", errors="replace") if path.is_file() else ""
