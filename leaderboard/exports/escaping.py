"""Escaping of text for Markdown, LaTeX and BibTeX, so that it is shown literally and never runs as markup."""

import re
from urllib.parse import quote

CONTROLS = re.compile(r"[\x00-\x08\x0e-\x1b\x7f]")
BREAKS = re.compile(r"[\t\n\v\f\r\x1c-\x1f\x85\u2028\u2029]+")

MARKDOWN = re.compile(r"[\\`*\[\]|~$]|(?<![^\W_])_|_(?![^\W_])")  # an underscore within a word is literal
FIRST = re.compile(r"^(\d*)(?=[-+#>=.)])")  # start of a list entry, heading or quotation
LATEX = {
    "\\": r"\textbackslash{}", "&": r"\&", "%": r"\%", "$": r"\$", "#": r"\#", "_": r"\_", "{": r"\{", "}": r"\}",
    "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "–": "--", "−": "$-$", "±": r"$\pm$", "\u202f": r"\,",
    "<": "$<$", ">": "$>$", "|": "$|$", "Δ": r"$\Delta$",
    "×": r"$\times$", "′": "$'$", "τ": r"$\tau$", "κ": r"$\kappa$", "≥": r"$\geq$", "≤": r"$\leq$",
}  # fmt: skip
LIGATURES = re.compile(r"-(?=-)|[?!`](?=`)|'(?=')")  # pairs that TeX joins to one glyph
OPENS = re.compile(r"^\s*[\[*]")  # after the `\\` that ends a row, TeX reads these as an option
# BibTeX counts every brace, even after a backslash.
BIBTEX = LATEX | {"{": r"\textbraceleft{}", "}": r"\textbraceright{}"}
ENTRY = re.compile(r"@(?!(?:comment|preamble|string)\b)[a-z]+\s*\{\s*[^\s{}\"#%'(),=\\~]+\s*,", re.IGNORECASE)


def on_one_line(text: str) -> str:
    """The text with line breaks and control characters replaced by spaces."""
    return CONTROLS.sub(" ", BREAKS.sub(" ", text))


def markdown(text: str) -> str:
    """The text escaped for use within a line of Markdown: no link, markup, formula or table cell."""
    return MARKDOWN.sub(r"\\\g<0>", on_one_line(text).replace("&", "&amp;").replace("<", "&lt;"))


def markdown_line(text: str) -> str:
    """The text escaped for a whole line of Markdown: also no list entry, heading or quotation."""
    return FIRST.sub(r"\1\\", markdown(text.strip()))


def tex(text: str) -> str:
    return _tex(text, LATEX)


def bibtex(text: str) -> str:
    """The text escaped as the value of a BibTeX field in braces, with no unpaired brace."""
    return _tex(text, BIBTEX)


def _tex(text: str, letters: dict[str, str]) -> str:
    apart = LIGATURES.sub(r"\g<0>\0", on_one_line(text))  # the text has no null character any more
    found = "".join(letters.get(letter, letter) for letter in apart).replace("\0", "{}")
    return OPENS.sub(r"{\g<0>}", found)


def bibtex_address(address: str) -> str:
    r"""The URL as \url takes it: characters that are not allowed in a URL are percent-encoded."""
    return quote(address, safe=":/?#[]@!$&'()*+,;=%~-._")


def is_one_entry(entry: str) -> bool:
    """Whether the text is exactly one BibTeX entry with balanced braces; @string and other commands don't count."""
    if not ENTRY.match(entry):
        return False
    depth = 0
    for place, letter in enumerate(entry):
        depth += (letter == "{") - (letter == "}")
        if depth == 0 and letter == "}":
            return place == len(entry) - 1
    return False
