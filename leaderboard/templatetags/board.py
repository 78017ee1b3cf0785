"""Template filters that format numbers."""

from collections.abc import Callable, Iterable
from html import escape

from django import template
from django.urls import reverse
from django.utils.safestring import SafeString, mark_safe

from benchmarks.words import condition_words
from leaderboard import labels
from leaderboard.board import cell_display
from leaderboard.board.board_row import BoardCell
from leaderboard.board.page_parts import REGISTERED
from leaderboard.comparison.row_choices import Choices

register = template.Library()
register.filter("condition_label", condition_words)
register.filter("p_value", cell_display.chance_of_as_much)
register.filter("figure", cell_display.figure)
register.filter("tier_label", lambda tier: labels.TIERS.get(tier, tier))
register.filter("tier_meaning", lambda tier: labels.TIERS_MEAN.get(tier, ""))


def or_dash(text_of: Callable[[float], str]) -> Callable[[float | None], str]:
    """The filter that writes a number so; a dash for what is missing."""
    return lambda value: "–" if value is None else text_of(value)


register.filter("percent", or_dash(cell_display.percent))  # 0.4961 as 49.6
register.filter("whole_percent", or_dash(cell_display.whole_percent))  # 0.825 as 83
register.filter("points", or_dash(cell_display.points))
register.filter("seconds", or_dash("{:.2f}".format))
register.filter("hundredths", or_dash(lambda share: f"{100 * share:.2f}"))  # as the Giraffe paper prints referees
register.filter("coefficient", or_dash(cell_display.number))  # a correlation, an agreement: -0.02 as −0.02


@register.inclusion_tag("leaderboard/parts/board_tabs.html")
def board_tabs(current: str) -> dict[str, object]:
    """The lists of leaderboards as tabs: by benchmark, by concept, and those of extensions."""
    own = [("benchmark", reverse("boards"), "By benchmark"), ("concept", reverse("concepts"), "By concept")]
    return {"tabs": [*own, *(tab for parts in REGISTERED if (tab := parts.tab_of_boards()))], "current": current}


@register.filter
def breakable(title: str, longest: int = 11) -> str:
    """A title whose long words may break after half of their letters."""
    parts = ((word[: len(word) // 2], word[len(word) // 2 :]) for word in title.split(" "))
    return " ".join("\u00ad".join(pair) if len("".join(pair)) > longest else "".join(pair) for pair in parts)


@register.simple_tag
def board_cells(cells: Iterable[cell_display.CellDisplay], *, is_bare: bool = False) -> SafeString:
    """The cells of a row: a board has a thousand, and `format_html` takes three times as long.

    With `is_bare` those of columns have no second line, and nothing has a title: it is told elsewhere on the page.
    """
    html = "".join(_board_cell(cell, is_bare=is_bare) for cell in cells)
    return mark_safe(html)  # noqa: S308  # each text is escaped # nosec B308, B703


def _board_cell(cell: cell_display.CellDisplay, *, is_bare: bool) -> str:
    title = f' title="{escape(cell.title)}"' if cell.title else ""
    look = f"cell{' total' if cell.is_whole else ''}{f' {cell.look}' if cell.look else ''}"
    if cell.missing or not cell.text:
        return f'<td class="{look} none"><span{title}>{escape(cell.missing)}</span></td>'
    small = f"<small>{escape(cell.range)}</small>" if cell.range and (cell.is_whole or not is_bare) else ""
    body = f"<b>{escape(cell.text)}</b>{small}"
    body = f'<a href="{escape(cell.href)}"{title}>{body}</a>' if cell.href else f"<span{title}>{body}</span>"
    sign = f'<i class="sign" aria-hidden="true">{cell.sign}</i>' if cell.sign else ""
    return f'<td class="{look}">{body}{sign}</td>'


@register.simple_tag
def row_options(choices: Choices, chosen: str) -> SafeString:
    """The options of a list of rows, by benchmark and pack: a form has hundreds, as many as a board has cells."""
    groups = (
        f'<optgroup label="{escape(str(pack))}">{"".join(_option(*row, chosen) for row in rows)}</optgroup>'
        for pack, rows in choices
    )
    return mark_safe("".join(groups))  # noqa: S308  # each text is escaped # nosec B308, B703


def _option(key: str, text: str, chosen: str) -> str:
    return f'<option value="{escape(key)}"{" selected" if key == chosen else ""}>{escape(str(text))}</option>'


@register.filter
def spread(cell: object) -> str:
    """The interval of anything with `low` and `high`."""
    return cell_display.spread(getattr(cell, "low", None), getattr(cell, "high", None))


@register.filter
def figure_alone(cell: BoardCell) -> str:
    """A cell's figure without its interval: "62.5", or as printed with "≈" for "about", since columns are narrow."""
    return cell.published_text.replace("about ", "≈") or cell_display.score_text(cell)
