"""A text of headings and paragraphs as a PDF; cairo draws it, as it draws the charts."""

import io
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from cairocffi import Context

WIDTH, HEIGHT, MARGIN = 595, 842, 56  # points: A4
FONT, LEADING = "DejaVu Sans", 1.4
SIZES = {"title": 16, "text": 9, "part": 12, "question": 9, "answer": 9}  # points
BOLD = ("title", "part", "question")
BEFORE = {"text": 4, "part": 16, "question": 7}  # points of space above


def as_pdf(title: str, blocks: Iterable[tuple[str, str]]) -> bytes:
    """Draw the (style, text) of these blocks below each other; OSError where the library cairo is missing."""
    import cairocffi as cairo

    file = io.BytesIO()
    surface = cairo.PDFSurface(file, WIDTH, HEIGHT)
    surface.set_metadata(cairo.PDF_METADATA_TITLE, title)
    context, y = cairo.Context(surface), float(MARGIN)
    for style, text in blocks:
        size = SIZES[style]
        weight = cairo.FONT_WEIGHT_BOLD if style in BOLD else cairo.FONT_WEIGHT_NORMAL
        context.select_font_face(FONT, cairo.FONT_SLANT_NORMAL, weight)
        context.set_font_size(size)
        y += BEFORE.get(style, 0)
        room = 3 if style in BOLD else 1  # a heading takes what follows with it
        for line in _lines(context, text):
            if y + room * size * LEADING > HEIGHT - MARGIN:
                context.show_page()
                y = MARGIN
            y, room = y + size * LEADING, 1
            context.move_to(MARGIN, y)
            context.show_text(line)
    surface.finish()
    return file.getvalue()


def _lines(context: "Context", text: str) -> Iterator[str]:
    """The text in lines as wide as the page; a longer word is cut."""
    line = ""
    for word in text.split():
        while line and not _fits(context, f"{line} {word}"):
            yield line
            line = ""
        line = f"{line} {word}".strip()
        while not _fits(context, line):
            end = next(end for end in range(len(line), 0, -1) if end == 1 or _fits(context, line[:end]))
            yield line[:end]
            line = line[end:]
    yield line


def _fits(context: "Context", text: str) -> bool:
    return context.text_extents(text)[4] <= WIDTH - 2 * MARGIN
