"""Problems of an uploaded file: a code and a sentence each (docs/submitting.md lists every code)."""

from dataclasses import dataclass

CODES = {
    "empty": "the file holds nothing",
    "too-big": "the file is larger than an upload may be",
    "not-text": "the file is not text: a picture, a program, a spreadsheet",
    "web-page": "the file is a web page, usually the error page of a failed download",
    "broken-archive": "the .gz or .zip can't be unpacked",
    "archive-members": "the .zip holds no file, or more than one and they are no results folder",
    "archive-path": "a file in the .zip has a path that it should not have, or is a link",
    "too-much-inside": "the unpacked file is larger than allowed, or was packed too tightly to be honest",
    "encoding": "the line is not UTF-8, or holds a character that can't be stored",
    "line-too-long": "the line is longer than a line may be",
    "not-json": "the line, or the document, is not one JSON object, or holds a name twice",
    "columns": "the first line of the table does not name the columns",
    "cells": "the line of the table has too many or too few cells, or a quote that is not closed",
    "header": "a field of the header is missing, unknown or names something that is not here",
    "fields": "the line has a field that means nothing here, or lacks one",
    "value": "a field has a value of the wrong kind",
    "unknown-item": "no such item in this pack, split and strategy",
    "duplicate": "the item was answered before with the same seed",
    "mixed": "answers and raw replies in one file",
    "not-an-option": "the answer is none of the item's options, or answers no question of the benchmark",
    "seed": "the seed is not a whole number from 0 on, or is one seed too many",
    "missing": "an item has no answer",
    "too-many": "more rows, or more problems, than are read",
}


@dataclass(frozen=True, slots=True)
class Problem:
    """One problem of a file: `what` in a sentence, with its line and item if known."""

    code: str
    what: str
    line: int | None = None
    item: str = ""

    def __str__(self) -> str:
        place = [f"line {self.line}" if self.line else "", f"item {self.item}" if self.item else ""]
        return ", ".join(part for part in place if part) + (": " if any(place) else "") + self.what


class Unreadable(Exception):
    """The rest of the file can't be read; `problem` says why."""

    def __init__(self, code: str, what: str, *, line: int | None = None) -> None:
        super().__init__(what)
        self.problem = Problem(code, what, line)


class SubmissionRefused(Exception):
    """The upload can't be stored; the message tells the sender why."""


class NameTaken(SubmissionRefused):
    """The model belongs to somebody else."""
