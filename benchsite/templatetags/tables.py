"""`{% table %}` in every template: each column is declared once, its head beside its cell.

    {% table person in page label="People" %}
    {% column "Code" row %}<a href="{{ person.link }}">{{ person.code }}</a>
    {% column "Answers" n %}{{ person.answers }}
    {% below %}{% include "parts/pages.html" %}
    {% empty "Nobody has come yet." %}
    {% endtable %}

Of a column: `row` makes its cell the head of the row; `n` and `number` are for figures; `hidden` leaves the head to
readers aloud, `title` explains it, `sort` links it; `class`, `dir` and `figure` (a key) are the cell's; `if` leaves the
column out. A head with markup stands before `{% cell %}`, a class that hangs on the row after `{% class %}`. Without
any head a table is one of pairs. `{% columns %}` repeats a column.

Of a table: `cards` on phones; `{% label %}` and `{% caption %}` say what it is; `{% row %}` has attributes of each row,
`{% first %}` and `{% last %}` rows by hand; `{% below %}` follows rows, `{% empty %}` stands where there are none.
"""

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from django import template
from django.core.paginator import Page
from django.template.base import FilterExpression, Node, NodeList, Parser, Token, render_value_in_context
from django.template.context import Context
from django.template.defaulttags import TemplateIfParser, querystring
from django.utils.html import format_html

from benchmarks.templatetags.figures import figure

register = template.Library()

FLAGS = {"row", "n", "number", "hidden"}
OPTIONS = {"class", "headclass", "dir", "title", "figure", "sort"}
OF_TABLE = {"label", "labelledby", "class", "scroll", "caption"}
PARTS = ("label", "caption", "row", "column", "columns", "cell", "class", "first", "last", "below", "empty")


@dataclass(frozen=True)
class NamedRows:
    """`name, other in rows`."""

    names: list[str]
    rows: FilterExpression

    def each(self, context: Context) -> Iterator[Any]:
        """Every row, while its parts have their names."""
        for row in self.rows.resolve(context, ignore_failures=True) or ():
            for name, value in zip(self.names, [row] if len(self.names) == 1 else row, strict=True):
                context[name] = value
            yield row


class TagArguments:
    """The arguments of a tag, compiled: its first word, loops, flags and options, of which each must be known."""

    def __init__(self, parser: Parser, token: Token, options: set[str], flags: set[str]) -> None:
        tag, *bits = token.split_contents()
        self.condition: Any = None
        if "if" in bits:
            at = bits.index("if")
            bits, self.condition = bits[:at], TemplateIfParser(parser, bits[at + 1 :]).parse()
        self.loops: list[NamedRows] = []
        while "in" in bits:
            at = bits.index("in")
            names = " ".join(bits[:at]).replace(",", " ").split()
            self.loops.append(NamedRows(names[names[0] == "for" :], parser.compile_filter(bits[at + 1])))
            bits = bits[at + 2 :]
        self.first: FilterExpression | None = None
        if bits and bits[0] not in flags and bits[0].partition("=")[0] not in options:
            self.first = parser.compile_filter(bits.pop(0))
        self.flags = [bit for bit in bits if bit in flags]
        named = [bit.partition("=") for bit in bits if bit not in flags]
        if unknown := [name for name, _, _ in named if name not in options]:
            raise template.TemplateSyntaxError(f"{tag} knows no {', '.join(unknown)}")
        self.options = {name: parser.compile_filter(value) for name, _, value in named}

    def value(self, name: str, context: Context) -> Any:
        option = self.options.get(name)
        return option.resolve(context, ignore_failures=True) if option else None

    def text(self, name: str, context: Context) -> str:
        """An option's value, escaped; "" without it."""
        return _escaped(self.value(name, context), context)

    def title(self, context: Context) -> str:
        """The first word, escaped; "" without it."""
        return _escaped(self.first.resolve(context), context) if self.first else ""

    def is_met(self, context: Context) -> bool:
        """Whether the condition holds, or there is none."""
        return self.condition is None or bool(self.condition.eval(context))


def _escaped(value: Any, context: Context) -> str:
    return "" if value is None else render_value_in_context(value, context)


def _classes(*names: str) -> str:
    """The attribute `class`, if there is a name."""
    return f' class="{text}"' if (text := " ".join(filter(None, names))) else ""


class Column:
    """How the head and the cells of a column are written, once or for each of several values."""

    def __init__(self, arguments: TagArguments, cell: NodeList, is_card: bool) -> None:
        self.arguments, self.head, self.cell, self.row_class = arguments, NodeList(), cell, NodeList()
        self.figures = " ".join(flag for flag in arguments.flags if flag in ("n", "number"))
        self.is_hidden, self.is_row, self.is_card = "hidden" in arguments.flags, "row" in arguments.flags, is_card
        self.element = '<th scope="row"' if self.is_row else "<td"

    @property
    def has_head(self) -> bool:
        return bool(self.arguments.first or self.head or self.arguments.options.get("sort"))

    def heads(self, context: Context) -> Iterator[str]:
        """Its elements in the head of the table."""
        role = ' role="columnheader"' if self.is_card else ""
        for _ in self.arguments.loops[0].each(context) if self.arguments.loops else (None,):
            classes = _classes(self.figures, self.arguments.text("headclass", context))
            sort = self.arguments.value("sort", context)
            way = format_html(' aria-sort="{}"', sort["direction"]) if sort and sort["direction"] else ""
            yield f'<th scope="col"{role}{classes}{way}>{self._head(context, sort)}</th>'

    def _head(self, context: Context, sort: Any) -> str:
        if sort:
            return format_html(
                '<a href="{}">{}</a>', querystring(context, sort=sort["query"], page=None), sort["title"]
            )
        text = self.arguments.title(context) or self.head.render(context).strip()
        if self.is_hidden:
            return f'<span class="sr">{text}</span>'
        return f'<abbr title="{about}">{text}</abbr>' if (about := self.arguments.text("title", context)) else text

    def cells(self, context: Context) -> Iterator[str]:
        """Its cells of one row."""
        end = "</th>" if self.is_row else "</td>"
        if self.opening:
            yield f"{self.opening}{self.cell.render(context).strip()}{end}"
            return
        for _ in self.arguments.loops[-1].each(context) if self.arguments.loops else (None,):
            own = self.row_class.render(context).strip() or self.arguments.text("class", context)
            way = f' dir="{text}"' if (text := self.arguments.text("dir", context)) else ""
            key = figure(self.arguments.value("figure", context))
            start = f"{self.element}{self._role(context)}{way}{_classes(self.figures, own)}{key}>"
            yield f"{start}{self.cell.render(context).strip()}{end}"

    @cached_property
    def opening(self) -> str:
        """How each cell begins, if nothing in it hangs on the row: of most columns, so it is not made for each row."""
        depends = (
            self.row_class
            or self.arguments.loops
            or self.is_card
            or {"class", "dir", "figure"} & self.arguments.options.keys()
        )
        return "" if depends else f"{self.element}{_classes(self.figures)}>"

    def _role(self, context: Context) -> str:
        if not self.is_card:
            return ""
        head = "" if self.is_row or self.is_hidden else f' data-label="{self.arguments.title(context)}"'
        return f' role="{"rowheader" if self.is_row else "cell"}"{head}'


class HtmlTable(Node):
    """A table of rows in columns, with what surrounds it."""

    def __init__(self, arguments: TagArguments) -> None:
        self.arguments, self.columns = arguments, list[Column]()
        self.parts: dict[str, NodeList] = {}
        self.sentence: FilterExpression | None = None  # in place of a table without rows

    def add(self, parser: Parser, token: Token, nodes: NodeList) -> None:
        """Add the part that this tag opens."""
        part = token.split_contents()[0]
        if part in ("column", "columns"):
            arguments = TagArguments(parser, token, OPTIONS, FLAGS)
            self.columns.append(Column(arguments, nodes, "cards" in self.arguments.flags))
        elif part == "cell":
            self.columns[-1].head, self.columns[-1].cell = self.columns[-1].cell, nodes
        elif part == "class":
            self.columns[-1].row_class = nodes
        else:
            self.parts[part] = nodes
            if part == "empty":
                self.sentence = TagArguments(parser, token, set(), set()).first

    def part(self, name: str, context: Context) -> str:
        return self.parts[name].render(context).strip() if name in self.parts else ""

    def render(self, context: Context) -> str:
        with context.push():
            rows = "".join(self._rows(context))
        if not rows and "empty" in self.parts:
            return self._empty(context)
        table = self._table(context, rows)
        for name, attribute in (("label", "aria-label"), ("labelledby", "aria-labelledby")):
            if label := self.arguments.text(name, context) or (name == "label" and self.part("label", context)):
                scroll = _classes("scroll", self.arguments.text("scroll", context))
                table = f'<div{scroll} tabindex="0" role="region" {attribute}="{label}">{table}</div>'
        return table + (self.part("below", context) if rows else "")

    def _empty(self, context: Context) -> str:
        more = self.part("empty", context)
        if not self.sentence:
            return more
        sentence = _escaped(self.sentence.resolve(context), context)
        return f'<div class="empty"><p><strong>{sentence}</strong></p>{more}</div>'

    def _visible(self, context: Context) -> list[Column]:
        return [column for column in self.columns if column.arguments.is_met(context)]

    def _rows(self, context: Context) -> Iterator[str]:
        columns, role = self._visible(context), ' role="row"' if "cards" in self.arguments.flags else ""
        for _ in self.arguments.loops[0].each(context):
            attributes = f" {text}" if (text := self.part("row", context)) else ""
            cells = "".join([cell for column in columns for cell in column.cells(context)])
            yield f"<tr{role}{attributes}>{cells}</tr>"

    def _table(self, context: Context, rows: str) -> str:
        is_cards = "cards" in self.arguments.flags
        role, group, line = (' role="table"', ' role="rowgroup"', ' role="row"') if is_cards else ("", "", "")
        caption = self.arguments.text("caption", context) or self.part("caption", context)
        heads = ""
        if any(column.has_head for column in self.columns):
            with context.push():
                cells = "".join(head for column in self._visible(context) for head in column.heads(context))
            heads = f"<thead{group}><tr{line}>{cells}</tr></thead>"
        classes = _classes(self.arguments.text("class", context) or "plain", "cardlist" if is_cards else "")
        opening = f"<table{classes}{role}>" + (f"<caption>{caption}</caption>" if caption else "")
        first, last = self.part("first", context), self.part("last", context)
        return f"{opening}{heads}<tbody{group}>{first}{rows}{last}</tbody></table>"


class Facts(Node):
    """A list of pairs: a name and what is to say of it."""

    def __init__(self, pairs: list[tuple[TagArguments, NodeList]]) -> None:
        self.pairs = pairs

    def render(self, context: Context) -> str:
        return f'<dl class="facts">{"".join(self._visible(context))}</dl>'

    def _visible(self, context: Context) -> Iterator[str]:
        for arguments, nodes in self.pairs:
            if arguments.is_met(context):
                value = f"<dd{_classes(*arguments.flags)}>{nodes.render(context).strip()}</dd>"
                yield f"<dt>{arguments.title(context)}</dt>{value}"


def _parts(parser: Parser, names: tuple[str, ...], end: str) -> Iterator[tuple[Token, NodeList]]:
    """Each part of a block with the tag that opens it, up to the end; nothing else may stand before the first."""
    if parser.parse((*names, end)).render(Context()).strip():
        raise template.TemplateSyntaxError(f"a part begins a block that ends with {end}")
    while (opening := parser.next_token()).contents != end:
        yield opening, parser.parse((*names, end))


@register.tag
def facts(parser: Parser, token: Token) -> Facts:
    """Read `{% fact "Name" %}what is to say` up to `{% endfacts %}`; `number` and `if` are as of a column."""
    pairs = _parts(parser, ("fact",), "endfacts")
    return Facts([(TagArguments(parser, opening, set(), {"number"}), nodes) for opening, nodes in pairs])


@register.tag
def table(parser: Parser, token: Token) -> HtmlTable:
    """Read a table up to `{% endtable %}`."""
    made = HtmlTable(TagArguments(parser, token, OF_TABLE, {"cards"}))
    for opening, nodes in _parts(parser, PARTS, "endtable"):
        made.add(parser, opening, nodes)
    return made


@register.inclusion_tag("parts/pages.html", takes_context=True)
def pager(context: Context, page: Page, address: str | None = None, anchor: str = "") -> dict[str, object]:
    """Links to the pages beside this one: of the page's own address, or of `address`, which is a query."""

    def link(number: int) -> str:
        here = querystring(context, page=number) if address is None else f"?{address}&page={number}"
        return f"{here}{anchor}"

    return {
        "page": page,
        "before": link(page.previous_page_number()) if page.has_previous() else "",
        "after": link(page.next_page_number()) if page.has_next() else "",
    }


@register.inclusion_tag("parts/choices.html", takes_context=True)
def choices(
    context: Context, name: str, options: Collection[tuple[str, str]], chosen: str, label: str
) -> dict[str, object]:
    """Links that choose a value of a parameter, of pairs of values and words; the rest of the address stays."""
    changes: list[dict[str, Any]] = [{name: value or None, "page": None} for value, _ in options]
    links = [
        (querystring(context, **change) or "?", words, value == chosen)
        for change, (value, words) in zip(changes, options, strict=True)
    ]
    return {"label": label, "links": links}
