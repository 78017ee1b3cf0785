"""An MCP server of read-only tools: boards, one row with its evidence, items, a comparison, and documents.

It calls the public API alone and sends no key, so an agent learns what every visitor may know, and nothing else.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from functools import partial, wraps
from itertools import islice
from typing import Any

from benchsite_client.site import API, ClientError, Site

MOST = 50  # items that one call lists


class Tools:
    """What an agent may call: each public method is a tool, and its docstring is what the agent reads about it."""

    def __init__(self, site: Site) -> None:
        self._site = site

    def list_boards(self) -> str:
        """Every leaderboard: benchmark, levels, prompting strategies, packs of items and splits."""
        return _text(self._site.boards())

    def read_board(self, benchmark: str, level: str = "", strategy: str = "", pack: str = "", group: str = "") -> str:
        """One leaderboard's rows: people, models measured here, uploaded, and reported in papers, with intervals.

        Scores are shares from 0 to 1; `tier` says how much of a row the site has seen; `simulated` people are programs.
        """
        board = self._site.board(benchmark, **_chosen(level=level, strategy=strategy, pack=pack, group=group))
        rows = [{name: value for name, value in row.items() if name != "cells"} for row in board["rows"]]
        return _text({**board, "rows": rows})

    def read_row(
        self, benchmark: str, key: str, level: str = "", strategy: str = "", pack: str = "", group: str = ""
    ) -> str:
        """One row of a board by its key (run-1, trial-NAME) with its evidence: every cell, and the run or study behind.

        A cell has score, n, interval (low, high), p against chance, and p_holm, adjusted over all cells of the view.
        """
        _, row = self._row(benchmark, key, level=level, strategy=strategy, pack=pack, group=group)
        return _text({"row": row, "source": self._source(key)})

    def explain_figure(
        self,
        benchmark: str,
        key: str,
        column: str = "overall",
        level: str = "",
        strategy: str = "",
        pack: str = "",
        group: str = "",
    ) -> str:
        """How one figure of a board came about: the answers it is of, how they were asked for, read, scored and tested.

        `column` is a key of the row's cells; the resource about/statistics says what intervals, tests and ranks mean.
        """
        board, row = self._row(benchmark, key, level=level, strategy=strategy, pack=pack, group=group)
        cells = {"overall": row["overall"], **row["cells"]}
        if column not in cells:
            raise ClientError(f"no column {column!r} in this view; there are {', '.join(cells)}")
        definition = self._site.benchmark(benchmark)
        asked = [each for each in definition["strategies"] if each["name"] == board["strategy"]]
        of_row = {name: value for name, value in row.items() if name not in ("cells", "overall")}
        view = {name: value for name, value in board.items() if name not in ("rows", "leaders", "columns")}
        facts = {"figure": cells[column], "row": of_row, "view": view, "source": self._source(key)}
        return _text({**facts, "scoring": definition["scoring"], "strategy": asked, "defects": definition["defects"]})

    def write_methods(self, study: str) -> str:
        """The methods paragraph of a human study for a paper, and its results, once they are shown."""
        facts = self._site.call("GET", f"{API}/trials/{study}/")
        return _text({name: facts[name] for name in ("title", "page", "simulated", "methods")})

    def list_items(self, benchmark: str, pack: str = "", strategy: str = "", facet: str = "", most: int = 20) -> str:
        """Questions of a benchmark without their answers, at most 50; `facet` is NAME:VALUE, as in concept:gravity."""
        found = self._site.items(benchmark, **_chosen(pack=pack, strategy=strategy, facet=facet))
        return _text([item.facts for item in islice(found, min(max(most, 1), MOST))])

    def read_item(self, public_id: str) -> str:
        """One question with people's answers, where they are public."""
        return _text(self._site.item(public_id))

    def compare_rows(self, first: str, second: str) -> str:
        """Two rows of a board by their keys, on the items that both answered: difference, interval and test."""
        return _text(self._site.compare(first, second))

    def explain_benchmark(self, benchmark: str) -> str:
        """How a benchmark is asked and scored: questions, prompts, conditions, scoring, known defects, citation."""
        return _text(self._site.benchmark(benchmark))

    def _row(self, benchmark: str, key: str, **view: str) -> tuple[dict[str, Any], dict[str, Any]]:
        """A view of a board, and its row of this key."""
        board = self._site.board(benchmark, **_chosen(**view))
        rows = {row["key"]: row for row in board["rows"]}
        if key not in rows:
            raise ClientError(f"no row {key!r} in this view; there are {', '.join(rows)}")
        return board, rows[key]

    def _source(self, key: str) -> Any:
        """The run or study behind a row; None if it is a paper's."""
        kind, _, name = key.partition("-")
        lists = {"run": "runs", "trial": "trials"}
        return self._site.call("GET", f"{API}/{lists[kind]}/{name.partition('~')[0]}/") if kind in lists else None


def server_of(site: Site) -> Any:
    """The server (mcp.server.mcpserver.MCPServer): its tools, and the documents as resources by their addresses.

    ClientError names the extra that is missing.
    """
    try:
        from mcp.server.mcpserver import MCPServer
        from mcp.server.mcpserver.exceptions import ToolError
        from mcp.types import ToolAnnotations
    except ImportError:
        raise ClientError("pip install 'benchsite-client[mcp]' brings the package mcp") from None

    def refusing(read: Callable[..., str]) -> Callable[..., str]:
        """The same tool; what the site refuses is an error that the agent reads."""

        @wraps(read)
        def answer(*positional: Any, **named: Any) -> str:
            try:
                return read(*positional, **named)
            except ClientError as error:
                raise ToolError(str(error)) from None

        return answer

    server, tools = MCPServer("benchsite"), Tools(site)
    for name in vars(Tools):
        if not name.startswith("_"):
            server.add_tool(refusing(getattr(tools, name)), annotations=ToolAnnotations(read_only_hint=True))
    _add_documents(server, site)
    return server


def _add_documents(server: Any, site: Site) -> None:
    """Add as resources, by their addresses, the pages of the documentation in Markdown and that on the statistics."""
    from mcp.server.mcpserver.resources import FunctionResource

    pages = [("About the statistics", f"{site.address}/about/statistics/", "text/html")]
    links = re.findall(r"^- \[(.+)\]\((\S+)\)$", site.text("/llms.txt"), re.MULTILINE)
    for title, address, kind in [*pages, *((*link, "text/markdown") for link in links)]:
        read, facts = partial(site.text, address), {"name": title, "description": title, "mime_type": kind}
        server.add_resource(FunctionResource.from_function(read, uri=address, **facts))


def serve(site: Site) -> None:
    """Answer on stdin and stdout until the caller ends."""
    server_of(site).run()


def _chosen(**filters: str) -> dict[str, str]:
    """Those that were given."""
    return {name: value for name, value in filters.items() if value}


def _text(facts: Any) -> str:
    return json.dumps(facts, ensure_ascii=False)
