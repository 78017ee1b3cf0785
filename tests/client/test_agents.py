"""An agent's client lists and calls every tool of `benchsite-client mcp`; it learns what a visitor may, and no more."""

import asyncio
import json
import os
import sys

import pytest

from benchmarks.disclosure.seals import hide
from tests.programs import ROOT

pytestmark = pytest.mark.django_db(transaction=True)
CALLS = {
    "list_boards": {},
    "read_board": {"benchmark": "grasp", "level": "1"},
    "read_row": {"benchmark": "grasp", "key": "run-0", "level": "1"},
    "list_items": {"benchmark": "grasp", "pack": "small", "most": 2},
    "read_item": {"public_id": "small0"},
    "compare_rows": {"first": "run-0", "second": "run-1"},
    "explain_benchmark": {"benchmark": "grasp"},
}


def spoken_with(address, calls):
    """Names of the tools, and what each call answered: its text, and whether it is an error."""
    from mcp import Client, StdioServerParameters, stdio_client

    env = os.environ | {"PYTHONPATH": str(ROOT / "client"), "BENCHSITE_KEY": "no key goes out"}
    command = ["-m", "benchsite_client.command", "--site", address, "mcp"]
    server = StdioServerParameters(command=sys.executable, args=command, env=env)

    async def talk():
        async with Client(stdio_client(server)) as client:
            tools = [tool.name for tool in (await client.list_tools()).tools]
            answers = {name: await client.call_tool(name, arguments) for name, arguments in calls.items()}
            texts = {name: answer.content[0].text for name, answer in answers.items()}
            return tools, texts, {name for name, answer in answers.items() if answer.is_error}

    return asyncio.run(talk())


def test_every_tool_answers(live_server, pack, client):
    tools, texts, errors = spoken_with(live_server.url, CALLS)
    assert sorted(tools) == sorted(CALLS)
    assert errors == {"compare_rows", "read_row"}  # there are no such rows, and the agent is told
    assert "run-0" in texts["read_row"]
    assert "run-0" in texts["compare_rows"]
    assert len(json.loads(texts["list_items"])) == 2
    assert json.loads(texts["read_item"]) == client.get("/api/v1/items/small0/").json()
    assert json.loads(texts["explain_benchmark"])["slug"] == "grasp"


def test_a_sealed_item_is_told_by_no_tool(live_server, pack):
    hide(pack.items.values_list("pk", flat=True), by="a-study")
    _, texts, errors = spoken_with(live_server.url, {name: CALLS[name] for name in ("list_items", "read_item")})
    assert json.loads(texts["list_items"]) == []
    assert errors == {"read_item"}
