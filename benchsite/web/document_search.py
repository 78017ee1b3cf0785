"""Search in the documentation: the best part of each page, and the sentences around the hit."""

import html
import re
from collections.abc import Iterable
from dataclasses import dataclass

from django.utils.html import escape, format_html_join
from django.utils.safestring import SafeString

MOST_WORDS = 8  # of a query that count
LONGEST = 240  # characters of a paragraph that are printed, from the sentence of the hit on
ENOUGH = 40  # characters of a paragraph that says something by itself
HEADING = re.compile(r'<h([1-6]) id="([^"]*)">(.*?)</h\1>', re.DOTALL)
BLOCK = re.compile(r"</(?:p|li|td|th|pre|h\d)>|<tr>")
TAG = re.compile(r"<[^>]*>")
SENTENCE = re.compile(r"(?<=[.:;?!])\s+(?=[A-Z0-9“])")


@dataclass(frozen=True)
class DocumentPart:
    """What stands under one heading of a page, as plain text."""

    page: str  # its title
    address: str  # with the heading's anchor; without one above the first heading of the second level
    heading: str
    paragraphs: tuple[str, ...]  # also cells, points of lists, blocks of code


@dataclass(frozen=True)
class DocumentHit:
    """The best part of a page for a query, and the sentences to print with the words marked."""

    part: DocumentPart
    excerpt: SafeString
    rank: tuple[float, ...]  # higher is better


def parts_of(address: str, title: str, page: str) -> list[DocumentPart]:
    """The parts of a rendered page."""
    pieces = HEADING.split(page)  # text, then level, anchor, heading and text of each
    parts = [DocumentPart(title, address, title, tuple(_paragraphs(pieces[0])))]
    for level, anchor, heading, text in zip(*(iter(pieces[1:]),) * 4, strict=True):
        own = address if level == "1" else f"{address}#{anchor}"
        parts.append(DocumentPart(title, own, _plain(heading), tuple(_paragraphs(text))))
    return parts


def search(parts: Iterable[DocumentPart], query: str) -> list[DocumentHit]:
    """The best part of each page that has every word of the query; whole words come before beginnings of words."""
    stems = [re.escape(_stem(word)) for word in re.findall(r"\w+", query.casefold())[:MOST_WORDS]]
    patterns = [
        (re.compile(rf"\b{stem}(?:e?s)?\b", re.IGNORECASE), re.compile(rf"\b{stem}", re.IGNORECASE)) for stem in stems
    ]
    best: dict[str, DocumentHit] = {}
    for part in parts:
        hit = _hit(part, patterns)
        if hit and (part.page not in best or hit.rank > best[part.page].rank):
            best[part.page] = hit
    return sorted(best.values(), key=lambda hit: hit.rank, reverse=True)


def _hit(part: DocumentPart, patterns: list[tuple[re.Pattern[str], re.Pattern[str]]]) -> DocumentHit | None:
    text = " ".join((part.page, part.heading, *part.paragraphs))
    if not patterns or not all(beginning.search(text) for _, beginning in patterns):
        return None
    whole = [pattern for pattern, _ in patterns]
    rank = (
        sum(bool(pattern.search(text)) for pattern in whole),
        sum(bool(pattern.search(part.heading)) + bool(pattern.search(part.page)) for pattern in whole),
        sum(len(pattern.findall(text)) for pattern in whole) / (20 + len(part.paragraphs)),
    )
    words = [beginning for _, beginning in patterns]
    found = max(
        part.paragraphs or (part.heading,),
        key=lambda text: (sum(bool(word.search(text)) for word in words), min(ENOUGH, len(text))),
    )
    return DocumentHit(part, _marked(_excerpt(found, words), words), rank)


def _excerpt(paragraph: str, words: list[re.Pattern[str]]) -> str:
    """The paragraph; of a long one what follows the beginning of the sentence with the first hit."""
    first = next((hit.start() for word in words if (hit := word.search(paragraph))), 0)
    starts = [0, *(end.end() for end in SENTENCE.finditer(paragraph, 0, first))]
    start = starts[-1] if len(paragraph) > LONGEST else 0
    if first - start > LONGEST // 2:
        start = paragraph.find(" ", first - LONGEST // 2, first) + 1 or first
    end = start + LONGEST
    return ("… " if start else "") + paragraph[start:end].strip() + (" …" if end < len(paragraph) else "")


def _marked(text: str, words: list[re.Pattern[str]]) -> SafeString:
    """The text as HTML, its hits marked."""
    either = re.compile("|".join(rf"{word.pattern}\w*" for word in words), re.IGNORECASE)
    pieces, end = [], 0
    for hit in either.finditer(text):
        pieces.append((text[end : hit.start()], hit[0]))
        end = hit.end()
    return format_html_join("", "{}<mark>{}</mark>", pieces) + escape(text[end:])


def _paragraphs(text: str) -> list[str]:
    return [plain for block in BLOCK.split(text) if (plain := _plain(block))]


def _plain(text: str) -> str:
    return html.unescape(TAG.sub("", text)).strip()


def _stem(word: str) -> str:
    return word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith("ss") else word
