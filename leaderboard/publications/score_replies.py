"""Scores a file of replies as this site does. It is part of a pack's archive and needs only Python 3.11.

    python scorer/score_replies.py my-replies.jsonl

The file is a filled submission template: a header, then one reply per question. A `reply` is parsed by the parser of
the header's strategy (or by its `parser`); an `answer` is used as it is. Unparsed replies count as wrong, as on boards.
"""

import json
import sys
from collections import defaultdict
from pathlib import Path
from typing import Any

from evaluation.parsing import PARSERS, Parser
from evaluation.replies import RawReply, read, reply_of
from measures.scores.parsed_answers import Parsed, ParserContext
from measures.scores.scoring import exact_match

ROOT = Path(__file__).resolve().parent.parent


class BadReplies(ValueError):
    """The file can't be scored; the message names the line."""


def main(arguments: list[str]) -> int:
    """Print accuracy overall and by test; returns 2 if the file can't be scored."""
    if len(arguments) != 1:
        print("usage: score_replies.py REPLIES.jsonl", file=sys.stderr)  # a script's output
        return 2
    try:
        scores, missing = scored(Path(arguments[0]), ROOT)
    except (BadReplies, OSError) as mistake:
        print(mistake, file=sys.stderr)
        return 2
    for line in table(scores, missing):
        print(line)
    return 0


def scored(replies: Path, root: Path) -> tuple[dict[str, list[float]], int]:
    """Test -> scores of its answered questions ("" = all), and how many questions of the template have no reply."""
    lines = _lines(replies)
    header = lines[0][1] if lines else {}
    if "strategy" not in header:
        raise BadReplies("line 1: no header; begin with that of a submission template")
    items = {row["item"]: row for _, row in _lines(root / "items.jsonl")}
    answers = {row["item"]: row for _, row in _lines(root / "answers.jsonl")}
    parser, found, seen = _parser(header, root), defaultdict[str, list[float]](list), set()
    for number, row in lines[1:]:
        name = row.get("item")
        if name not in items or name in seen:
            raise BadReplies(
                f"line {number}: item {name!r} {'occurs twice' if name in seen else 'is not in this pack'}"
            )
        seen.add(name)
        if name in answers:
            known = answers[name]
            context = ParserContext(
                items[name]["kind"], known["test"], tuple(items[name]["options"]), known["expected"]
            )
            score = exact_match(_read(row, parser, context, number).answer, known["expected"])
            for test in dict.fromkeys(("", known["test"])):
                found[test].append(score)
    template = root / f"submission-template-{header['strategy']}.jsonl"
    wanted = {row["item"] for _, row in _lines(template)[1:]} if template.is_file() else set(items)
    return dict(found), len(wanted & answers.keys() - seen)


def _read(row: dict[str, Any], parser: Parser, context: ParserContext, number: int) -> Parsed:
    reply = row.get("answer", row.get("reply"))
    if not isinstance(reply, str):
        raise BadReplies(f"line {number}: neither `reply` nor `answer` is a text")
    if "answer" in row:
        return PARSERS["as-given"].read(reply, context)
    return read(parser, reply_of(RawReply(reply)), context)


def _parser(header: dict[str, Any], root: Path) -> Parser:
    known = json.loads((root / "scorer" / "parsers.json").read_text(encoding="utf-8"))
    if header["strategy"] not in known:
        raise BadReplies(f"line 1: no strategy {header['strategy']!r}; there is: {', '.join(known)}")
    name = header.get("parser") or known[header["strategy"]][0]
    if name not in PARSERS:
        raise BadReplies(f"line 1: no parser {name!r}; there is: {', '.join(PARSERS)}")
    return PARSERS[name]


def _lines(path: Path) -> list[tuple[int, dict[str, Any]]]:
    found = []
    for number, line in enumerate(path.read_text(encoding="utf-8").split("\n"), start=1):
        try:
            row = json.loads(line) if line.strip() else None
        except (ValueError, RecursionError) as error:
            raise BadReplies(f"{path.name}, line {number}: {error}") from None
        if row is not None and not isinstance(row, dict):
            raise BadReplies(f"{path.name}, line {number}: no JSON object")
        if row is not None:
            found.append((number, row))
    return found


def table(scores: dict[str, list[float]], missing: int) -> list[str]:
    """The printed lines: per cent right, and the number of questions."""
    named = {"all": scores.get("", []), **{test: scores[test] for test in sorted(scores) if test}}
    wide = max(map(len, named))
    lines = [
        f"{name:<{wide}}  {100 * sum(values) / len(values):5.1f} %  of {len(values)}"
        for name, values in named.items()
        if values
    ] or ["no question with a public answer was answered"]
    return [*lines, f"{missing} questions have no reply: boards need all of them"] if missing else lines


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
