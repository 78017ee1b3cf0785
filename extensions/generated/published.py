"""What `import_published` reads for boards of generators: PhyGround's folder of scores, and files of votes."""

import hashlib
import tomllib
from pathlib import Path
from typing import Any

from django.utils.text import slugify

from benchmarks.definitions.files.table_text import text_of
from benchmarks.errors import BadRelease
from extensions.generated.judging.import_scores import PEOPLE, import_scores
from extensions.generated.models import Generator, PromptPack, ReportedRow, VoteFile
from extensions.generated.pairs.vote_files import COLUMNS, BadVotesError, read_votes
from extensions.generated.prompts.pack_folder import RESERVED

REPORTED = Path(__file__).with_name("reported")


def import_published(path: Path) -> dict[str, int] | None:
    """Store a folder of scores or a file of votes; None if the path holds neither.

    Raises BadScoresError or BadVotesError.
    """
    if path.is_dir():
        return import_scores(path) if (path / PEOPLE).exists() else None
    return import_votes(path) if _are_votes(path) else None


def _are_votes(path: Path) -> bool:
    """Whether the first line of a CSV file names two clips' generators and an answer."""
    if path.suffix.lower() != ".csv" or not path.is_file():
        return False
    with path.open("rb") as file:
        heads = {
            head.strip(' "').casefold() for head in file.readline(10_000).decode(errors="replace").strip().split(",")
        }
    return all(heads & set(COLUMNS[name]) for name in ("first", "second", "answer"))


def import_votes(path: Path) -> dict[str, int]:
    """The votes of a file become the newest of the prompt pack that has the file's name."""
    try:
        table = read_votes(path.name, text_of(path))
    except BadRelease as unreadable:
        raise BadVotesError(str(unreadable)) from None
    slug = slugify(path.stem)[:40]
    if not slug:
        raise BadVotesError(f"{path.name}: its name has no letters for the board's address")
    if slug in RESERVED:
        raise BadVotesError(f"{path.name}: its name is an address beside those of boards; choose another")
    pack, _ = PromptPack.objects.get_or_create(slug=slug, defaults={"title": path.stem[:120]})
    sha256 = hashlib.sha256(path.read_bytes()).hexdigest()
    _, is_new = VoteFile.objects.get_or_create(
        pack=pack, sha256=sha256, defaults={"name": path.name[:200], "votes": table.packed()}
    )
    count = len(table.answers)
    return {"votes": count, "already there": 0} if is_new else {"votes": 0, "already there": count}


def import_reported() -> int:
    """Store the rows of papers that come with this site, as they are printed; returns how many were new."""
    new = 0
    for path in sorted(REPORTED.glob("*.toml")):
        data = reported_in(path.stem)
        known = {"title": data["title"], "source": data["url"], "licence": data.get("licence", "")}
        pack, _ = PromptPack.objects.get_or_create(slug=path.stem, defaults=known)
        for title, *values in data["rows"]:
            generator, _ = Generator.objects.get_or_create(slug=slugify(title)[:60], defaults={"title": title})
            row = {"scores": dict(zip(data["columns"], values, strict=True)), "source": data["source"]}
            new += ReportedRow.objects.get_or_create(pack=pack, generator=generator, defaults=row)[1]
    return new


def reported_in(slug: str) -> dict[str, Any]:
    """The file of a pack's reported rows; {} without one."""
    path = REPORTED / f"{slug}.toml"
    return tomllib.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
