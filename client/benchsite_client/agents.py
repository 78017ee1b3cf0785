"""An MCP server of read-only tools: boards, one row with its evidence, items, a comparison, and documents.

It calls the public API alone and sends no key, so an agent learns what every visitor may know, and nothing else.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import wraps
from itertools import islice
from typing import Any

from benchsite_client.site import ClientError, Site

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

    def read_row(self, benchmark: str, key: str, level: str = "", strategy: str = "") -> str:
        """One row of a board by its key (run-1, trial-NAME), with every cell: score, n, interval, p against chance."""
        view = _chosen(level=level, strategy=strategy)
        rows = {row["key"]: row for row in self._site.board(benchmark, **view)["rows"]}
        if key not in rows:
            raise ClientError(f"no row {key!r} in this view; there are {', '.join(rows)}")
        return _text(rows[key])

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


def server_of(site: Site) -> Any:
    """The server (mcp.server.mcpserver.MCPServer) with its tools; ClientError names the extra that is missing."""
    try:
        from mcp.server.mcpserver import MCPServer
        from mcp.server.mcpserver.exceptions import ToolError
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
            server.add_tool(refusing(getattr(tools, name)))
    return server


def serve(site: Site) -> None:
    """Answer on stdin and stdout until the caller ends."""
    server_of(site).run()


def _chosen(**filters: str) -> dict[str, str]:
    """Those that were given."""
    return {name: value for name, value in filters.items() if value}


def _text(facts: Any) -> str:
    return json.dumps(facts, ensure_ascii=False)
