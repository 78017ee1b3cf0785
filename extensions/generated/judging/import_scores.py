"""Imports PhyGround's published scores: people's means, and what judges said of each generator's clips."""

import hashlib
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from django.db import transaction

from extensions.generated.dimensions import DOMAINS
from extensions.generated.judging.score_files import BadScoresError, ScoreFile, read_json, read_scores
from extensions.generated.models import Access, Generator, Judge, JudgeReading, Prompt, PromptPack, ReportedRow

PEOPLE = "people_leaderboard.json"
SCORES = "eval_*.json*"
COLUMNS = {name: name for name in ("SA", "PTV", "persistence", *DOMAINS)} | {"Overall": "overall"}
KNOWN: dict[str, Any] = tomllib.loads(Path(__file__).with_name("phyground.toml").read_text("utf-8"))
JUDGES: dict[str, dict[str, str]] = KNOWN["judges"]  # by model and way of asking


def import_scores(folder: Path) -> dict[str, int]:
    """Store every file of the folder, or none; returns how much was new, and how much was there already.

    Raises BadScoresError for the first file that can't be used, and for two files that differ about a prompt.
    """
    paths = sorted(folder.glob(SCORES))
    if not (folder / PEOPLE).is_file() or not paths:
        raise BadScoresError(f"{folder}: needs {PEOPLE} and files of scores, {SCORES}")
    rows = _rows(read_json(folder / PEOPLE))
    files = [read_scores(path) for path in paths]
    with transaction.atomic():
        pack, _ = PromptPack.objects.get_or_create(slug="phyground", defaults=KNOWN["pack"])
        _store_prompts(pack, files)
        new_rows = sum(_store_row(pack, row) for row in rows)
        new_readings = sum(_store_reading(pack, file, path) for file, path in zip(files, paths, strict=True))
    already = len(files) + len(rows) - new_rows - new_readings
    return {"rows": new_rows, "readings": new_readings, "already there": already}


def _rows(board: Mapping[str, Any]) -> Sequence[Mapping[str, Any]]:
    """The rows of people, each with all of its columns."""
    rows = board.get("rows")
    if not isinstance(rows, list) or not rows:
        raise BadScoresError(f"{PEOPLE}: no rows")
    for number, row in enumerate(rows, 1):
        known = row if isinstance(row, dict) else {}
        for key in ("site_model_key", "display_name"):
            if not isinstance(known.get(key), str):
                raise BadScoresError(f"{PEOPLE}, row {number}: {key} is missing")
        scores = known.get("scores")
        for column in COLUMNS:
            value = scores.get(column) if isinstance(scores, dict) else None
            if not isinstance(value, int | float) or not 1 <= value <= 5:
                raise BadScoresError(f"{PEOPLE}, row {number}: {column} is {value!r}, not 1 to 5")
    return rows


def _store_prompts(pack: PromptPack, files: Sequence[ScoreFile]) -> None:
    known = {prompt.key: (prompt.text, prompt.laws) for prompt in pack.prompts.all()}
    new: dict[str, Prompt] = {}
    for file in files:
        for prompt in file.prompts:
            stated = (prompt.text, list(prompt.laws))
            if known.setdefault(prompt.key, stated) != stated:
                raise BadScoresError(f"{file.name}: {prompt.key} has another text or other laws than before")
            new.setdefault(prompt.key, Prompt(pack=pack, key=prompt.key, text=prompt.text, laws=list(prompt.laws)))
    Prompt.objects.bulk_create(new.values(), ignore_conflicts=True)


def _store_row(pack: PromptPack, row: Mapping[str, Any]) -> bool:
    generator, _ = Generator.objects.update_or_create(
        slug=row["site_model_key"].replace(".", "-"),
        defaults={"title": row["display_name"], "access": Access.API if row.get("closed_source") else Access.OPEN},
    )
    scores = {name: row["scores"][column] for column, name in COLUMNS.items()}
    _, is_new = ReportedRow.objects.get_or_create(
        pack=pack, generator=generator, defaults={"scores": scores, "source": KNOWN["source"]}
    )
    return is_new


def _store_reading(pack: PromptPack, file: ScoreFile, path: Path) -> bool:
    model = file.judge.partition(":")[2] or file.judge
    way, usual = f"{model} {file.scheme}", f"{model}-{file.scheme}".lower().replace("/", "-")
    known = JUDGES.get(way, {"slug": usual, "title": model})
    order = [*JUDGES].index(way) if way in JUDGES else len(JUDGES)
    facts = {"title": known["title"], "model": model, "scheme": file.scheme, "order": order}
    judge, _ = Judge.objects.get_or_create(pack=pack, slug=known["slug"][:60], defaults=facts)
    generator, _ = Generator.objects.get_or_create(
        slug=file.generator.replace(".", "-"), defaults={"title": file.generator}
    )
    _, is_new = JudgeReading.objects.get_or_create(
        judge=judge,
        file=file.name,
        defaults={
            "generator": generator,
            "sha256": hashlib.sha256(path.read_bytes()).hexdigest(),
            "stamp": file.stamp,
            "frames_a_second": file.frames_a_second,
            "scores": {prompt.key: dict(prompt.scores) for prompt in file.prompts},
        },
    )
    return is_new
