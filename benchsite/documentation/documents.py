"""Reads the Markdown files of docs/ and renders them as pages, with links between them rewritten to addresses."""

import posixpath
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from html import escape
from itertools import count
from pathlib import Path
from urllib.parse import quote

import markdown
from django.conf import settings
from django.urls import reverse

FOLDER = "docs"
# Files outside docs/ that its pages link to.
AT_THE_TOP = {"README.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md"}
PICTURES = {".png": "image/png", ".webp": "image/webp", ".svg": "image/svg+xml", ".jpg": "image/jpeg"}


def anchor_of(title: str, separator: str) -> str:
    """The anchor of a heading as Git hosts make it, so that one link works in both places."""
    return re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", separator)


EXTENSIONS = {
    "markdown.extensions.tables": {"use_align_attribute": True},  # the security policy forbids inline styles
    "markdown.extensions.toc": {"toc_depth": "2-3", "slugify": anchor_of},
    "markdown.extensions.fenced_code": {},
    "markdown.extensions.sane_lists": {},
    "markdown.extensions.md_in_html": {},
}
LINK = re.compile(r"<a href=\"([^\"]*)\">(.*?)</a>", re.DOTALL)
IMAGE = re.compile(r"(<img\b[^>]*?\bsrc=\")([^\"]*)(\")")
TABLE = re.compile("<table>")
REGION = '<div class="scroll" tabindex="0" role="region" aria-label="Table {number}"><table>'


@dataclass(frozen=True)
class Heading:
    anchor: str
    title: str  # HTML


@dataclass(frozen=True)
class Document:
    """A rendered page of the documentation."""

    name: str  # "benchmarks/grasp"; "" for the index
    title: str
    html: str
    headings: tuple[Heading, ...]  # of the second level


@dataclass(frozen=True)
class Hit:
    """A document in which all words of a search occur, and the first lines that have one of them."""

    name: str
    title: str
    lines: tuple[str, ...]


def names() -> list[str]:
    """The names of all documents, "" (the index) first."""
    root = settings.BASE_DIR / FOLDER
    inside = sorted(name_of(path.relative_to(settings.BASE_DIR).as_posix()) for path in root.rglob("*.md"))
    return inside + [name_of(name) for name in sorted(AT_THE_TOP) if (settings.BASE_DIR / name).exists()]


def name_of(path: str) -> str:
    """The document's name for a path from the project's root: `docs/benchmarks/grasp.md` is `benchmarks/grasp`."""
    if path in AT_THE_TOP:
        return path.removesuffix(".md").lower()
    name = path.removeprefix(f"{FOLDER}/").removesuffix(".md")
    return "" if name == "index" else name.removesuffix("/index")


def path_of(name: str) -> Path | None:
    """The file of this document; None if there is none."""
    return _paths().get(name)


@lru_cache(maxsize=1)
def _paths() -> dict[str, Path]:
    """File by name. Names come from the folder, never from an address, so that nothing else can be read."""
    files = [*sorted((settings.BASE_DIR / FOLDER).rglob("*.md")), *(settings.BASE_DIR / top for top in AT_THE_TOP)]
    return {name_of(file.relative_to(settings.BASE_DIR).as_posix()): file for file in files if file.exists()}


def picture_of(path: str) -> Path | None:
    """The picture in docs/ with this path relative to docs/; None if there is none."""
    return _pictures().get(path)


@lru_cache(maxsize=1)
def _pictures() -> dict[str, Path]:
    root = settings.BASE_DIR / FOLDER
    return {path.relative_to(root).as_posix(): path for path in root.rglob("*") if path.suffix in PICTURES}


def find(name: str) -> Document | None:
    """The rendered document; None if there is none with this name."""
    path = path_of(name)
    return _rendered(name, path, path.stat().st_mtime_ns) if path else None


@lru_cache(maxsize=128)
def _rendered(name: str, path: Path, _changed: int) -> Document:
    text = path.read_text()
    writer = markdown.Markdown(extensions=list(EXTENSIONS), extension_configs=EXTENSIONS)
    html = writer.convert(text)
    headings = [Heading(token["id"], token["html"]) for top in writer.toc_tokens for token in _second_level(top)]
    folder = posixpath.dirname(path.relative_to(settings.BASE_DIR).as_posix())
    html = LINK.sub(lambda match: _link(folder, match.group(1), match.group(2)), html)
    html = IMAGE.sub(lambda match: match.group(1) + _picture(folder, match.group(2)) + match.group(3), html)
    number = count(1)
    html = TABLE.sub(lambda _: REGION.format(number=next(number)), html).replace("<th></th>", "<td></td>")
    return Document(name, title_of(text), html.replace("</table>", "</table></div>"), tuple(headings))


def _second_level(token: dict) -> Iterator[dict]:
    if token["level"] == 2:
        yield token
    for child in token["children"]:
        yield from _second_level(child)


def title_of(text: str) -> str:
    """The first heading, without its mark."""
    return next((line.lstrip("# ").strip() for line in text.splitlines() if line.startswith("# ")), "")


def target_of(folder: str, href: str) -> tuple[str, str]:
    """The path from the project's root that a relative link leads to, and its anchor."""
    path, _, anchor = href.partition("#")
    return posixpath.normpath(posixpath.join(folder, path)) if path else "", anchor


def _link(folder: str, href: str, text: str) -> str:
    """The link with its address on the site; its text alone if it leads to a file that isn't served."""
    if re.match(r"[a-z]+:|#|/", href):
        return f'<a href="{escape(href)}">{text}</a>'
    path, anchor = target_of(folder, href)
    name = name_of(path)
    if path.endswith(".md") and path_of(name):
        return f'<a href="{address_of(name)}{f"#{anchor}" if anchor else ""}">{text}</a>'
    if (inside := path.removeprefix(f"{FOLDER}/")) in _pictures():
        return f'<a href="{reverse("document-picture", args=[inside])}">{text}</a>'
    return text


def _picture(folder: str, source: str) -> str:
    path, _ = target_of(folder, source)
    return reverse("document-picture", args=[quote(path.removeprefix(f"{FOLDER}/"))])


def address_of(name: str) -> str:
    return reverse("document", args=[name]) if name else reverse("documents")


def search(words: list[str], most: int = 40) -> list[Hit]:
    """Documents that hold all words, in any case; those that have one in their title first."""
    found = [hit for name in names() if (hit := _hit(name, words))]
    return sorted(found, key=lambda hit: not any(word in hit.title.lower() for word in words))[:most]


def _hit(name: str, words: list[str]) -> Hit | None:
    path = path_of(name)
    text = path.read_text() if path else ""
    if not words or not all(word in text.lower() for word in words):
        return None
    lines = [line.strip("#|*> ") for line in text.splitlines() if any(word in line.lower() for word in words)]
    return Hit(name, title_of(text), tuple(line[:240] for line in lines[:3]))
