"""Reads every place of a site that prints a stored figure, by the figure's name.

An element that prints a score, a difference or an interval names it by `data-figure`, or by the link to its items on a
board. `python -m tests.leaderboard.printed_figures URL` crawls a running site, such as one with the demo, prints the
figures with several values, and exits with 1 if there are any.
"""

import csv
import io
import json
import re
import sys
import urllib.error
import urllib.request
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from html.parser import HTMLParser
from itertools import combinations
from urllib.parse import parse_qsl, urlencode

Fetch = Callable[[str], str]  # path -> text; "" if the site refuses the address
Places = dict[tuple[str, str], list[tuple[str, float, float]]]  # figure, which number -> where, value, half a step
SIGNED = r"[+-]?\d+(?:\.\d+)?"
ENDS = re.compile(rf"(?<!\d)({SIGNED})(?:–| to )({SIGNED})")
NUMBER = re.compile(SIGNED)
ITEMS = re.compile(r"(?:^|/)items/\?(row=.*)")
COMPARED = re.compile(r"^/compare/\?a=([^&]+)&b=([^&]+)$")
PAGES = re.compile(r'href="(/(?:models|concepts)/[^"/?#]+/)"')
GROUPS = ("test", "concept", "polarity", "level")
API, FIGURE = "API", ("score", "low", "high")


class Printed(HTMLParser):
    """The texts of all elements that print a named figure, by its name."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.texts: dict[str, list[str]] = defaultdict(list)
        self.key, self.depth = "", 0
        self.feed(page)

    def handle_starttag(self, tag, attributes):
        given = dict(attributes)
        if self.key:
            self.depth += tag == self.tag
        elif key := given.get("data-figure") or ("title" in given and of_link(given.get("href") or "")):
            self.key, self.tag, self.depth = key, tag, 1

    def handle_endtag(self, tag):
        if self.key and tag == self.tag:
            self.depth -= 1
            self.key = self.key if self.depth else ""

    def handle_data(self, text):
        if self.key:
            self.texts[self.key].append(text)


def of_link(href: str) -> str:
    """The name of the figure whose items, or whose comparison, a board's cell leads to."""
    if rows := COMPARED.match(href):
        return f"{rows[1]}−{rows[2]} shared all"
    if not (items := ITEMS.search(href)):
        return ""
    (_, row), (_, split), (facet, value), *more = parse_qsl(items[1])
    return "" if more else f"{row} {split} {facet}={value}"


def values_in(text: str) -> Iterator[tuple[str, float, float]]:
    """(which number, its value in per cent or points, half a step of its last digit) of a printed text."""
    text = re.sub(r"\bn = \d+", "", " ".join(text.split()).replace("−", "-").replace("--", "–"))
    pairs = [pair for ends in ENDS.findall(text) for pair in zip(("low", "high"), ends, strict=True)]
    numbers = [*pairs, *(("score", number) for number in NUMBER.findall(ENDS.sub(" ", text)))]
    yield from ((name, float(number), 0.5 * 10.0 ** -len(number.partition(".")[2])) for name, number in numbers)


def figures_of(fetch: Fetch) -> Places:
    """Every printed value of every named figure of the site."""
    rows = json.loads(fetch("/api/v1/standings/?page_size=200"))["results"]
    places: Places = defaultdict(list)
    for row in rows:
        cells = {f"{facet}={value}": cell for facet, of in row["cells"].items() for value, cell in of.items()}
        for items, cell in ({"all": row["overall"]} | cells).items():
            key = f"{row['row']} {row['split']} {items}"
            _keep(places, API, key, cell)
            if cell.get("p") is not None:
                _keep_agreement(places, key, cell["p"], cell["low"] <= cell["guessing"] <= cell["high"])
    boards = list(_boards(rows))
    for board in boards:
        _keep_files(places, fetch, board)
    for path in _pages(fetch, rows, boards):
        for key, texts in Printed(fetch(path)).texts.items():
            for name, value, step in values_in(" ".join(texts)):
                places[key, name].append((path, value, step))
    for pair in _compared(rows):
        _keep_differences(places, fetch, *pair)
    rounded = {key for key, _ in places} & {f"{row['row']} {row['split']} {items}" for row, items in _rounded(rows)}
    return {place: values for place, values in places.items() if place[0] not in rounded}


def _keep(places: Places, where: str, key: str, cell: Mapping[str, float | None], step: float = 1e-6) -> None:
    for name in FIGURE:
        if (share := cell.get(name)) is not None:
            places[key, name].append((where, 100 * share, step))


def _keep_agreement(places: Places, key: str, p: float, holds: bool) -> None:
    """Whether something is certain, by p and by whether the interval holds chance, or no difference."""
    places[key, "certain"] += [("p", float(p < 0.05), 0.0), ("interval", float(not holds), 0.0)]


def _rounded(rows: Iterable[dict]) -> Iterator[tuple[dict, str]]:
    """Figures that stand as a range on pages: they count withheld answers."""
    for row in rows:
        cells = {f"{facet}={value}": cell for facet, of in row["cells"].items() for value, cell in of.items()}
        yield from ((row, items) for items, cell in ({"all": row["overall"]} | cells).items() if cell.get("step"))


def _boards(rows: Iterable[dict]) -> Iterator[str]:
    names = ("pack", "strategy", "condition", "split")
    places = {(row["benchmark"], *(row[name] for name in names)) for row in rows}
    for slug, *place in sorted(places):
        query = urlencode(dict(zip(names, place, strict=True)))
        yield from (f"/leaderboard/{slug}/?{query}&group={group}" for group in GROUPS)


def _pages(fetch: Fetch, rows: Iterable[dict], boards: Iterable[str]) -> list[str]:
    keys = sorted({row["row"] for row in rows})
    own = [f"/runs/{key[4:]}/" for key in keys if key.startswith("run-")]
    studies = sorted({f"/trials/{key[6:].partition('~')[0]}/" for key in keys if key.startswith("trial-")})
    linked = {link for page in ("/models/", "/concepts/") for link in PAGES.findall(fetch(page))}
    return [*boards, *own, *studies, "/", "/concepts/", *sorted(linked)]


def _keep_files(places: Places, fetch: Fetch, board: str) -> None:
    """The figures of a board's files: JSON names them, CSV and Markdown have the same rows and columns."""
    if not (text := fetch(f"{board}&format=json")):
        return  # a facet that this benchmark does not have
    content = json.loads(text)
    columns = {"overall": f"level={content['level']}"}
    columns |= {key: f"{dict(parse_qsl(board))['group']}={key}" for key in content["columns"]}
    spreadsheet = _csv_cells(fetch(f"{board}&format=csv"), len(columns))
    printed = _markdown_cells(fetch(f"{board}&format=md"))
    own = [row for row in content["rows"] if row["kind"] != "published"]
    names = Counter(row["name"] for row in own)
    for row in (row for row in own if names[row["name"]] == 1):
        for at, (column, items) in enumerate(columns.items()):
            if cell := row["overall"] if column == "overall" else row["cells"].get(column):
                key = f"{row['key']} {content['split']} {items}"
                _keep(places, f"{board} json", key, cell)
                _keep(places, f"{board} csv", key, spreadsheet[row["name"]][at], 1e-4)
                for name, value, step in values_in(printed[row["name"]][at]):
                    places[key, name].append((f"{board} md", value, step))
    _keep_latex(places, board, fetch(f"{board}&format=latex"), printed)


def _csv_cells(text: str, count: int) -> dict[str, list[dict[str, float]]]:
    """Name of a row -> score, low and high, 0 to 1, of each of so many columns; reported rows are left out."""
    heads, *lines = csv.reader(io.StringIO(text.removeprefix("\ufeff")))
    width = (len(heads) - 4) // count
    starts = range(3, 3 + count * width, width)
    known = {
        line[0]: [zip(FIGURE, line[at : at + 3], strict=True) for at in starts]
        for line in lines
        if line[1] != "published"
    }
    return {name: [{part: float(n) / 100 for part, n in cell if n} for cell in cells] for name, cells in known.items()}


def _markdown_cells(text: str) -> dict[str, list[str]]:
    lines = (line.strip("| ").split(" | ") for line in text.split("\n") if line.startswith("| "))
    cells: dict[str, list[str]] = {}
    for name, *texts in lines:
        cells.setdefault(name, texts)  # rows of this site come before those of papers
    return cells


def _keep_latex(places: Places, board: str, text: str, printed: dict[str, list[str]]) -> None:
    """LaTeX may turn the table and split it: each of its figures must be one of Markdown's."""
    known = {cell for cells in printed.values() for cell in cells}
    for cell in re.findall(r"[\d.]+ \([\d.]+--[\d.]+\)", text):
        places[f"{board} {cell}", "score"] += [
            ("latex", 1.0, 0.0),
            ("md", float(cell.replace("--", "–") in known), 0.0),
        ]


def _compared(rows: Iterable[dict], most: int = 3) -> Iterator[tuple[str, str]]:
    """Some pairs of rows of one pack, split and condition, models before people as on boards."""
    alike: dict[tuple[str, ...], set[str]] = defaultdict(set)
    for row in rows:
        alike[row["benchmark"], row["pack"], row["split"], row["condition"]].add(row["row"])
    for keys in alike.values():
        yield from [*combinations(sorted(keys), 2)][:most]


def _keep_differences(places: Places, fetch: Fetch, first: str, second: str) -> None:
    """The differences on the page of two rows, in its file and in the API."""
    query = urlencode({"a": first, "b": second})
    if not (text := fetch(f"/api/v1/compare/?{query}")):
        return  # without a shared item
    for key, texts in Printed(fetch(f"/compare/?{query}")).texts.items():
        for name, value, step in values_in(" ".join(texts)):
            places[key, name].append((f"/compare/?{query}", value, step))
    rows, key = json.loads(text)["rows"], f"{first}−{second} shared all"
    for at, row in enumerate(rows):
        _keep_agreement(places, f"{key} row {at}", row["p"], row["Low"] <= 0 <= row["High"])
    table = csv.DictReader(io.StringIO(fetch(f"/compare/?{query}&format=csv").removeprefix("\ufeff")))
    for where, row in ((API, rows[0]), (f"/compare/?{query} csv", next(table))):
        for name, head in zip(FIGURE, ("Difference", "Low", "High"), strict=True):
            places[key, name].append((where, float(row[head]), 1e-4))


def unequal(places: Places) -> list[str]:
    """The figures whose places differ by more than their last digits may hide."""
    return [
        f"{key} {name}: {values}"
        for (key, name), values in places.items()
        if max(value - step for _, value, step in values) > min(value + step for _, value, step in values) + 1e-9
    ]


def main(site: str) -> int:
    """Crawl the site at this address."""

    def fetch(path: str) -> str:
        try:
            with urllib.request.urlopen(site.rstrip("/") + path) as answer:  # an address of the developer
                return answer.read().decode()
        except urllib.error.HTTPError as refused:
            if refused.code >= 500:
                raise
            return ""

    places = figures_of(fetch)
    several = unequal(places)
    print(*several, sep="\n")
    values = sum(map(len, places.values()))
    print(f"{len({key for key, _ in places})} figures, {values} printed values, {len(several)} differ")
    return bool(several)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
