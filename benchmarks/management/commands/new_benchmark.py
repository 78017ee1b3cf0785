import re
import shutil
from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from benchmarks.commands import CallerMistake, SiteCommand
from benchmarks.definitions.files import schema
from benchmarks.packs.benchmark_files import NAME, taken_names

SCAFFOLD = schema.SCHEMA.with_name("scaffold.toml")
COLUMNS = "id,clip,question,answer,scene\n"


class Command(SiteCommand):
    help = "Create a benchmark's folder: benchmark.toml, items.csv, clips/. Refuses a folder that has one."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("slug")
        parser.add_argument("--out", type=Path, required=True)

    def handle(self, *, slug: str, out: Path, **options: Any) -> None:
        if not re.fullmatch(schema.schema()["properties"]["slug"]["pattern"], slug):
            raise CallerMistake(f"{slug!r}: a slug has 2 to 28 lower-case letters, digits and hyphens")
        if slug in taken_names():
            raise CallerMistake(f"{slug!r} is the name of something else on this site; choose another")
        if (out / NAME).exists():
            raise CallerMistake(f"{out / NAME} exists already; nothing is written")
        title = slug.replace("-", " ").capitalize()
        text = SCAFFOLD.read_text(encoding="utf-8").replace("SLUG", slug).replace("TITLE", title)
        try:
            (out / "clips").mkdir(parents=True, exist_ok=True)
            (out / NAME).write_text(text, encoding="utf-8")
            (out / "items.csv").write_text(COLUMNS, encoding="utf-8")
            shutil.copy(schema.SCHEMA, out / schema.SCHEMA.name)
        except OSError as error:
            raise CallerMistake(f"{out}: can't be written ({error.strerror})") from None
        facts = {"benchmark": slug, "folder": str(out)}
        self.say(options, facts, f"{out}: put clips into clips/, questions into items.csv, then check_benchmark {out}")
