"""Charades: predict the last event of a video's description from the text before it.

The paper's three steps; its experts then reviewed each item, which is done in `items.json` before the import. Two
choices are ours: the text is the first description, or the script if there is none; and phrases are compared with the
action dictionary by the cosine of their lemmas. Rules analyse the sentences (`english`).
"""

import csv
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from benchmarks.errors import BadRelease
from tools.giraffe_prepare.clauses import Clause, Dictionary, last_clause
from tools.giraffe_prepare.frames import WantedFrame
from tools.giraffe_prepare.items import Draft, Found, Problem, evenly, video_of

CLASSES = "Charades_v1_classes.txt"
TABLES = ("Charades_v1_test.csv", "Charades_v1_train.csv")
COLUMNS = ("id", "script", "descriptions", "actions", "length")
IMAGES = 4  # from the part before the cut; our number, since the paper gives none
SHORTEST = 1.0  # seconds before the cut
ACTION = re.compile(r"(c\d{3}) (\d+(?:\.\d+)?) (\d+(?:\.\d+)?)")


def read_charades(root: Path, videos: Path | None) -> Found:
    """Items of every usable video of the tables, in order; others are named with the step that failed."""
    dictionary = Dictionary(_classes(root / CLASSES))
    tables = [root / name for name in TABLES if (root / name).is_file()]
    if not tables:
        raise BadRelease(f"{root}: neither {' nor '.join(TABLES)} is here")
    problems: list[Problem] = []
    found = [
        draft
        for table in tables
        for number, row in enumerate(_rows(table), start=2)
        if (draft := _draft(row, f"{table.name}, line {number}", dictionary, videos, problems))
    ]
    return Found(tuple(found), tuple(problems))


def _draft(
    row: Mapping[str, str], where: str, dictionary: Dictionary, videos: Path | None, problems: list[Problem]
) -> Draft | None:
    """The video's item: the text before, the target sentence, and the video up to where its action begins."""
    key, actions = row["id"], _actions(row["actions"], where)
    text = next((part.strip() for part in (*row["descriptions"].split(";"), row["script"]) if part.strip()), "")
    clause = last_clause(text)
    what = _why_not(clause, text)
    if what or clause is None:
        problems.append((key, what))
        return None
    code = dictionary.code_of(clause)
    begins = [start for action, start in actions if action == code]
    if not begins:
        named = f"{code} ({dictionary.names[code]})" if code else "no action of the dictionary"
        problems.append((key, f"{clause.phrase!r} is {named}, which is not among its own actions"))
        return None
    if max(begins) < SHORTEST:
        problems.append((key, f"{code} begins at {max(begins):g} s: nothing comes before it"))
        return None
    if len(begins) > 1:
        problems.append((key, f"{code} is labelled {len(begins) - 1} times before"))
    return _draft_of(key, clause, max(begins), video_of(videos, key))


def _draft_of(key: str, clause: Clause, starts: float, video: Path) -> Draft:
    return Draft(
        id=f"charades/{key}",
        dataset="charades",
        fields={"captions": clause.before, "truth": clause.sentence, "descriptions": sentences(clause.before)},
        images=tuple(WantedFrame(video, (moment,)) for moment in evenly(0, starts, IMAGES)),
        video=video,
        until=starts,
    )


def sentences(text: str) -> list[str]:
    return [part.strip() for part in re.split(r"(?<=[.!?])\s+", text) if part.strip()]


def _why_not(clause: Clause | None, text: str) -> str:
    if not text:
        return "has neither a description nor a script"
    if clause is None:
        return "its last clause has no verb with a noun"
    return "" if clause.before else "is one clause: nothing comes before it"


def _actions(listing: str, where: str) -> list[tuple[str, float]]:
    """The codes of the actions, each with its first second."""
    found = []
    for part in filter(None, (part.strip() for part in listing.split(";"))):
        match = ACTION.fullmatch(part)
        if not match:
            raise BadRelease(f"{where}: actions has {part!r}; it must be a code and two times: c092 11.90 21.20")
        found.append((match[1], min(float(match[2]), float(match[3]))))
    return found


def _rows(table: Path) -> Iterator[Mapping[str, str]]:
    try:
        with table.open(newline="", encoding="utf-8-sig") as file:
            reader = csv.DictReader(file)
            if missing := [name for name in COLUMNS if name not in (reader.fieldnames or ())]:
                raise BadRelease(f"{table.name}: no column {', '.join(missing)}")
            for number, row in enumerate(reader, start=2):
                if any(row[name] is None for name in COLUMNS) or not re.fullmatch(r"\w{1,40}", row["id"]):
                    raise BadRelease(f"{table.name}, line {number}: a column is missing, or the id is none")
                yield row
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise BadRelease(f"{table}: can't be read: {error}") from None


def _classes(path: Path) -> dict[str, str]:
    """Code -> action name, from lines such as `c000 Holding some clothes`."""
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise BadRelease(f"{path}: can't be read: {error}") from None
    found = {}
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        code, _, name = line.partition(" ")
        if not re.fullmatch(r"c\d{3}", code) or not name.strip():
            raise BadRelease(f"{path.name}, line {number}: must be a code and a name: c000 Holding some clothes")
        found[code] = name.strip()
    return found
