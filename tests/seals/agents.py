"""What an agent learns by the tools of `benchsite-client mcp`: every board, some of its rows, and hidden questions."""

import json
from collections.abc import Callable
from itertools import pairwise
from typing import Any

from django.core.wsgi import get_wsgi_application

from benchmarks.models import Pack
from humantrials.models import Trial
from leaderboard.models import Standing
from tests.client.conftest import DocumentedTransport
from tests.factories import sealed

ROWS, ITEMS = 3, 4  # of a board, and of a pack's hidden and open questions


def learnt_by_agents() -> dict[str, str]:
    """Each call and its answer, or its refusal."""
    from benchsite_client import ClientError, Site
    from benchsite_client.agents import Tools

    tools = Tools(Site("http://testserver", transport=DocumentedTransport(app=get_wsgi_application())))
    found: dict[str, str] = {}

    def ask(name: str, **arguments: Any) -> str:
        try:
            answer: str = getattr(tools, name)(**arguments)
        except ClientError as refusal:
            answer = str(refusal)
        found[f"{name} {arguments}"] = answer
        return answer

    _ask_of_packs(ask)
    _ask_of_boards(ask)
    for trial in Trial.objects.order_by("pk"):
        ask("write_methods", study=trial.slug)
    return found


def _ask_of_packs(ask: Callable[..., str]) -> None:
    for pack in Pack.objects.order_by("pk"):
        ask("explain_benchmark", benchmark=pack.benchmark)
        ask("list_items", benchmark=pack.benchmark, pack=pack.name, most=50)
        for items in (pack.items.filter(sealed()), pack.items.filter(~sealed())):
            for item in items.order_by("public_id")[:ITEMS]:
                ask("read_item", public_id=item.public_id)


def _ask_of_boards(ask: Callable[..., str]) -> None:
    boards = {board["benchmark"]: board["levels"] for board in json.loads(ask("list_boards"))}
    asked = set(Standing.objects.values_list("pack__benchmark", "pack__name", "strategy"))
    for benchmark, pack, strategy in sorted(asked):
        for level in boards[benchmark]:
            if strategy in level["strategies"]:
                view = {"benchmark": benchmark, "level": level["level"], "strategy": strategy, "pack": pack}
                keys = [row["key"] for row in json.loads(ask("read_board", **view))["rows"]][:ROWS]
                for key in keys:
                    ask("read_row", key=key, **view)
                    ask("explain_figure", key=key, **view)
                for first, second in pairwise(keys):
                    ask("compare_rows", first=first, second=second)
