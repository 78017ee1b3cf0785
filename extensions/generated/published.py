"""What `import_published` reads for boards of generators: PhyGround's folder of scores, and files of votes."""

import hashlib
from pathlib import Path

from django.utils.text import slugify

from extensions.generated.judging.import_scores import PEOPLE, import_scores
from extensions.generated.models import PromptPack, VoteFile
from extensions.generated.pairs.vote_files import COLUMNS, BadVotesError, read_votes

LARGEST = 200_000_000  # bytes of a file of votes


def import_published(path: Path) -> dict[str, int] | None:
    """Store a folder of scores or a file of votes; None if the path holds neither.

    Raises BadScoresError or BadVotesError.
    """
    if path.is_dir():
        if not (path / PEOPLE).exists():
            return None
        found = import_scores(path)
        return {"rows": found.rows, "readings": found.readings, "already there": found.already}
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
    content = path.read_bytes()
    if len(content) > LARGEST:
        raise BadVotesError(f"{path.name}: larger than {LARGEST // 1_000_000} MB")
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise BadVotesError(f"{path.name}: not UTF-8") from None
    if "\0" in text:
        raise BadVotesError(f"{path.name}: holds a zero byte")
    votes = len(read_votes(text).votes)
    slug = slugify(path.stem)[:40]
    if not slug:
        raise BadVotesError(f"{path.name}: its name has no letters for the board's address")
    pack, _ = PromptPack.objects.get_or_create(slug=slug, defaults={"title": path.stem[:120], "preset": "videophy-2"})
    _, is_new = VoteFile.objects.get_or_create(
        pack=pack, sha256=hashlib.sha256(content).hexdigest(), defaults={"name": path.name[:200], "text": text}
    )
    return {"votes": votes if is_new else 0, "already there": 0 if is_new else votes}
