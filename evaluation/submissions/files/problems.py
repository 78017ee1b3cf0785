"""Problems of an uploaded file: a code and a sentence each (docs/submitting.md lists every code)."""

from dataclasses import dataclass

CODES = {
    "empty": "the file holds nothing",
    "too-big": "the file is larger than an upload may be",
    "not-text": "the file is a picture, a program or a spreadsheet",
    "web-page": "the file is a web page, such as the error page of a failed download",
    "broken-archive": "the .gz or .zip can't be unpacked",
    "archive-members": "the .zip holds no file, or several that are no results folder",
    "archive-path": "a file in the .zip is a link, or has a forbidden path",
    "too-much-inside": "the unpacked file is larger than allowed, or packed too tightly",
    "encoding": "the line is not UTF-8, or a character can't be stored",
    "line-too-long": "the line is longer than allowed",
    "not-json": "the line or document is not one JSON object, or holds a name twice",
    "columns": "the table's first line does not name the columns",
    "cells": "the line has too many or too few cells, or an open quote",
    "header": "a field of the header is missing, unknown or names something unknown",
    "fields": "the line lacks a field, or has an unknown one",
    "value": "a field has a value of the wrong kind",
    "unknown-item": "no such item in this pack, split and strategy",
    "duplicate": "the item was answered before with the same seed",
    "mixed": "answers and raw replies in one file",
    "not-an-option": "the answer is none of the item's options, or answers no question",
    "seed": "the seed is no whole number from 0 on, or one too many",
    "missing": "an item has no answer",
    "too-many": "more rows or problems than are read",
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
