"""`benchsite-client`: the same from a shell. 0 is well, 1 is a refusal or a finding, 2 is a wrong call."""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchsite_client.answering import NEEDED, by_program
from benchsite_client.site import ClientError, Progress, Report, Site

EVERY = 10.0  # seconds between two lines of progress where there is no terminal
EXAMPLES = """
  benchsite-client --site https://SITE boards
  benchsite-client answer --benchmark grasp --pack demo --strategy plausibility --model NAME --out a.jsonl -- ./model
  benchsite-client submit a.jsonl

Address and key are read from BENCHSITE and BENCHSITE_KEY, too.
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; returns the exit code."""
    parser = _parser()
    options = parser.parse_args(arguments)
    try:
        if not options.site:
            raise ClientError("name the site by --site or BENCHSITE")
        return int(options.run(Site(options.site, options.key), options) or 0)
    except (ClientError, OSError) as error:
        print(error, file=sys.stderr)
        for problem in getattr(error, "problems", ()):
            print(f"  {problem}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("stopped; the same call goes on from here", file=sys.stderr)
        return 130


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        "benchsite-client", description=__doc__, epilog=EXAMPLES, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--site", default=os.environ.get("BENCHSITE", ""), help="address of the site")
    parser.add_argument("--key", default=os.environ.get("BENCHSITE_KEY", ""), help="a key from your account page")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    def command(name: str, run: Any, text: str) -> argparse.ArgumentParser:
        found = commands.add_parser(name, help=text, description=text)
        found.set_defaults(run=run)
        return found

    boards = command("boards", _boards, "all boards, or one of them with its rows")
    boards.add_argument("benchmark", nargs="?")
    boards.add_argument("--view", nargs="*", default=[], metavar="NAME=VALUE", help="as in the page's address: level=2")
    items = command("items", _items, "items as JSON Lines, with --clips their clips as files")
    items.add_argument("benchmark")
    items.add_argument("--filter", nargs="*", default=[], metavar="NAME=VALUE", help="pack=, strategy=, split=, facet=")
    items.add_argument("--clips", type=Path, help="a folder")
    answer = command("answer", _answer, "ask a program every item, once each; a second call goes on")
    for name in (*NEEDED, "split", "condition", "revision"):
        answer.add_argument(f"--{name}", required=name in NEEDED, default="")
    answer.add_argument("--out", required=True, type=Path, help="the file of answers")
    answer.add_argument("--clips", type=Path, default=Path("clips"), help="a folder for clips")
    answer.add_argument("program", nargs="+", help="after --: reads an item as JSON, writes its reply")
    for name, run, text in (
        ("lint", _lint, "what the site would refuse in a file of answers, by line and item"),
        ("submit", _submit, "send a file of answers; the score comes back"),
    ):
        found = command(name, run, text)
        found.add_argument("file", type=Path)
        found.add_argument("--header", nargs="*", default=[], metavar="NAME=VALUE", help="for tables")
    clipset = command("clipset", _clipset, "send a generator's clips; a second call goes on")
    clipset.add_argument("path", type=Path, help="a folder of card.toml, manifest.csv and the clips, or its ZIP")
    clipset.add_argument("--pack", required=True, help="of prompts")
    clipset.add_argument("--may-show", action="store_true", help="these clips may be shown to raters and on the site")
    study = command("study", _study, "people's answers as CSV")
    study.add_argument("slug")
    study.add_argument("--table", default="votes", help="votes, or of your own closed study long, judgments, people …")
    study.add_argument("--zip", type=Path, metavar="FILE", help="write your own closed study's whole data set")
    command("mcp", _mcp, "serve agents: read-only tools on stdin and stdout")
    return parser


def _boards(site: Site, options: Any) -> int:
    if not options.benchmark:
        for board in site.boards():
            for level in board["levels"]:
                print(f"{board['benchmark']}  level={level['level']}  {board['title']}: {level['title']}")
        return 0
    board = site.board(options.benchmark, **_pairs(options.view))
    print(f"{board['benchmark']}, strategy {board['strategy']}, pack {board['pack']}, split {board['split']}")
    for row in board["rows"]:
        print(f"{row['name']:<48.48}  {figure(row.get('overall'))}  {row['tier'] or row['kind']}")
    return 0


def figure(cell: dict[str, Any] | None) -> str:
    """A cell as text: per cent with its interval; without a score what a paper prints, or "–"."""
    if not cell or cell.get("score") is None:
        return f"{(cell or {}).get('printed') or '–':>16}"
    ends = f" ({100 * cell['low']:.0f}–{100 * cell['high']:.0f})" if cell.get("low") is not None else ""
    return f"{100 * cell['score']:5.1f}{ends:>11}"


def _items(site: Site, options: Any) -> int:
    show = progress_line("clips")
    found = list(site.items(options.benchmark, **_pairs(options.filter)))
    for number, item in enumerate(found, 1):
        files = [str(site.clip(clip, options.clips)) for clip in item.clips] if options.clips else []
        print(json.dumps({**item.facts, **({"files": files} if options.clips else {})}, ensure_ascii=False))
        if options.clips:
            show(number, len(found))
    return 0


def _answer(site: Site, options: Any) -> int:
    names = (*NEEDED, "split", "condition", "revision")
    work = site.work(**{name: getattr(options, name) for name in names if getattr(options, name)})
    work.answer(by_program(options.program), options.out, clips=options.clips, progress=progress_line("items"))
    print(f"{len(work.items)} items answered in {options.out}")
    return 0


def _lint(site: Site, options: Any) -> int:
    return _print_report(site.lint(options.file, **_pairs(options.header)), "can be sent")


def _submit(site: Site, options: Any) -> int:
    report = site.submit(options.file, **_pairs(options.header))
    return _print_report(report, f"run {report.run}, {report.listing}")


def _print_report(report: Report, what: str) -> int:
    score = "not shown yet" if report.score is None else f"{100 * report.score:.1f} %"
    print(f"{what}: {report.rows} rows, score {score}", *report.notes, sep="\n  ")
    return 0


def _clipset(site: Site, options: Any) -> int:
    show = progress_line("bytes")
    found = site.clipset(options.path, options.pack, may_show=options.may_show, progress=show)
    print(f"{found.title}: {found.clips} clips, {found.page}", *found.notes, sep="\n  ")
    return 0


def _study(site: Site, options: Any) -> int:
    if options.zip:
        options.zip.write_bytes(site.data_set(options.slug))
    else:
        print(site.study(options.slug, options.table).csv, end="")
    return 0


def _mcp(site: Site, options: Any) -> int:
    from benchsite_client.agents import serve

    serve(Site(options.site))  # without the key: agents learn what everybody may
    return 0


def _pairs(texts: Sequence[str]) -> dict[str, str]:
    found = {}
    for text in texts:
        name, equals, value = text.partition("=")
        if not equals or not name:
            raise ClientError(f"{text!r} is not NAME=VALUE")
        found[name] = value
    return found


def progress_line(unit: str) -> Progress:
    """Progress on stderr: on a terminal one line that is written over, elsewhere a line every ten seconds."""
    last = 0.0

    def show(done: int, total: int) -> None:
        nonlocal last
        is_terminal, now = sys.stderr.isatty(), time.monotonic()
        if done == total or now - last >= (0.1 if is_terminal else EVERY):
            last = now
            end = "\n" if done == total or not is_terminal else ""
            print(f"{chr(13) if is_terminal else ''}{done} of {total} {unit}", end=end, file=sys.stderr, flush=True)

    return show


if __name__ == "__main__":
    sys.exit(main())
