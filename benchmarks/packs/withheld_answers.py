"""Reads a file with the withheld answers of a hidden split and loads them."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from django.db import transaction

from benchmarks.definitions.definition import Benchmark
from benchmarks.definitions.files.items_table import NUMERIC, stored_answer
from benchmarks.definitions.files.table_text import csv_table, json_rows, parsed, text_of
from benchmarks.definitions.papers.pacs import item_key
from benchmarks.disclosure import SCORER, known_answers, open_answers
from benchmarks.disclosure.seals import load
from benchmarks.errors import BenchmarkError, ContentRefused
from benchmarks.models import OPEN_KINDS, Item


class BadAnswers(BenchmarkError):
    """The file of answers is refused; the message names line or key."""


@dataclass(frozen=True)
class LoadedAnswer:
    """One answer of the file, with its item and its place in the file."""

    item: str  # public id or official key
    answer: str | int  # an option, or the index of one, from 0
    where: str


@dataclass(frozen=True)
class Loaded:
    """Counts after loading: new answers, answers known before, and items of the benchmark still without one."""

    items: int
    known: int
    waiting: int


def import_answers(benchmark: Benchmark, path: Path) -> Loaded:
    """Load all answers of the file or none; loading the same file again changes nothing."""
    loaded = list(_read(path))
    if not loaded:
        raise BadAnswers(f"{path.name} holds no answers")
    with transaction.atomic():
        found = _found(benchmark, {one.item for one in loaded})
        new, known = _sorted(loaded, found)
        load(new)
    of_rules = Item.objects.filter(pack__benchmark=benchmark.slug).exclude(answer_kind__in=OPEN_KINDS)
    waiting = of_rules.exclude(known_answers())
    return Loaded(len(new), known, waiting.count())


def _found(benchmark: Benchmark, names: set[str]) -> dict[str, list[Item]]:
    """Items by public id and by official key, which packs may share."""
    found: dict[str, list[Item]] = {}
    for item in Item.objects.filter(pack__benchmark=benchmark.slug).select_related("pack").iterator(chunk_size=2000):
        for name in {item.public_id, item.key} & names:
            found.setdefault(name, []).append(item)
    return found


def _sorted(loaded: Iterable[LoadedAnswer], found: Mapping[str, list[Item]]) -> tuple[dict[int, str], int]:
    """New answers by item, and the number of answers already known; raises BadAnswers for a contradiction."""
    stored = open_answers((item for items in found.values() for item in items), to=SCORER)
    new: dict[int, str] = {}
    known, seen = 0, dict[int, str]()
    for one in loaded:
        for item in _items_of(one, found):
            answer = _option(one, item)
            if seen.setdefault(item.pk, answer) != answer:
                raise BadAnswers(f"{one.where}: {one.item} has two answers in this file")
            if stored[item.pk].expected is None:
                new[item.pk] = answer
            elif stored[item.pk].expected != answer:
                raise ContentRefused(f"{one.where}: {one.item} has another answer already; answers never change")
            else:
                known += 1
    return new, known


def _items_of(one: LoadedAnswer, found: Mapping[str, list[Item]]) -> list[Item]:
    items = found.get(one.item, [])
    if not items:
        raise BadAnswers(f"{one.where}: there is no question {one.item[:80]!r} here")
    if len({item.pack_id for item in items}) < len(items):
        raise BadAnswers(f"{one.where}: several questions are called {one.item!r}: name them by their ids")
    return items


def _option(one: LoadedAnswer, item: Item) -> str:
    if item.answer_kind in OPEN_KINDS:
        raise BadAnswers(f"{one.where}: {one.item[:80]!r} has no right answer: people or judges answer it")
    if item.answer_kind in NUMERIC:
        if (found := stored_answer(str(one.answer), item.answer_kind)) is not None:
            return found
        raise BadAnswers(f"{one.where}: {one.answer!r} is no answer; there is: {NUMERIC[item.answer_kind]}")
    options = [str(option) for option in item.options]
    if isinstance(one.answer, int) and not isinstance(one.answer, bool) and 0 <= one.answer < len(options):
        return options[one.answer]
    for option in options:
        if str(one.answer).strip().casefold() == option.casefold():
            return option
    raise BadAnswers(f"{one.where}: {one.answer!r} is no answer; there is: {', '.join(options)}, or its place from 0")


def _read(path: Path) -> Iterator[LoadedAnswer]:
    """The answers in a file: JSON Lines or CSV with item and answer, or a label file of PACS."""
    text = text_of(path)
    if path.suffix == ".csv":
        return _of_table(path.name, text)
    try:
        whole = parsed(text)
    except ValueError:
        return _of_lines(path.name, text)
    return _of_lines(path.name, text) if isinstance(whole, dict) and "item" in whole else _of_pairs(path.name, whole)


def _of_table(name: str, text: str) -> Iterator[LoadedAnswer]:
    columns, rows = csv_table(name, text)
    if not {"item", "answer"} <= set(columns):
        raise BadAnswers(f"{name}, line 1: the columns item and answer are needed")
    for line, row in rows:
        yield LoadedAnswer(row["item"].strip(), _number(row["answer"]), f"{name}, line {line}")


def _of_lines(name: str, text: str) -> Iterator[LoadedAnswer]:
    for number, record in json_rows(name, text):
        if not isinstance(record.get("item"), str) or "answer" not in record:
            raise BadAnswers(f"{name}, line {number}: needs item and answer")
        yield LoadedAnswer(record["item"], record["answer"], f"{name}, line {number}")


def _of_pairs(name: str, whole: Any) -> Iterator[LoadedAnswer]:
    """The answers in {pair: {question: {"label": 0}}}, the format of PACS' splits with answers."""
    if not isinstance(whole, dict):
        raise BadAnswers(f"{name}: a list of lines or a JSON object of pairs is expected")
    for pair, questions in whole.items():
        if not isinstance(questions, dict):
            raise BadAnswers(f"{name}: {pair} holds no questions by id")
        for question, record in questions.items():
            label = record.get("label") if isinstance(record, dict) else record
            if label is None:
                raise BadAnswers(f"{name}: {pair}, {question}: has no label")
            yield LoadedAnswer(item_key(pair, question), label, f"{name}: {pair}, {question}")


def _number(text: str) -> str | int:
    return int(text) if text.strip().isdecimal() and len(text) < 10 else text
