"""An agent's client lists and calls every tool of `benchsite-client mcp`; it learns what a visitor may, and no more."""

import asyncio
import json
import os
import sys

import pytest

from benchmarks.disclosure.seals import hide
from tests.programs import ROOT

pytestmark = pytest.mark.django_db(transaction=True)
PLACE = {"benchmark": "grasp", "level": "2", "strategy": "plausibility"}


def calls_of(pack):
    """Every tool with arguments that it answers on this pack."""
    first, second = (f"run-{run.pk}" for run in pack.runs.order_by("pk"))
    return {
        "list_boards": {},
        "read_board": PLACE,
        "read_row": PLACE | {"key": first},
        "explain_figure": PLACE | {"key": "trial-study", "column": "gravity", "group": "concept"},
        "list_items": {"benchmark": "grasp", "pack": pack.name, "most": 2},
        "read_item": {"public_id": pack.items.first().public_id},
        "compare_rows": {"first": first, "second": second},
        "explain_benchmark": {"benchmark": "grasp"},
        "write_methods": {"study": "study"},
    }


def spoken_with(address, calls):
    """Names of the tools and addresses of the resources; what calls answered: text, whether an error; one document."""
    from mcp import Client, StdioServerParameters, stdio_client

    env = os.environ | {"PYTHONPATH": str(ROOT / "client"), "BENCHSITE_KEY": "no key goes out"}
    command = ["-m", "benchsite_client.command", "--site", address, "mcp"]
    server = StdioServerParameters(command=sys.executable, args=command, env=env)

    async def talk():
        async with Client(stdio_client(server)) as client:
            tools = (await client.list_tools()).tools
            assert all(tool.annotations.read_only_hint for tool in tools)
            answers = {name: await client.call_tool(name, arguments) for name, arguments in calls.items()}
            documents = [str(found.uri) for found in (await client.list_resources()).resources]
            read = await client.read_resource(f"{address}/docs/api.md")
            names = [*(tool.name for tool in tools)], documents
            texts = {name: answer.content[0].text for name, answer in answers.items()}
            return *names, texts, {name for name, answer in answers.items() if answer.is_error}, read.contents[0].text

    return asyncio.run(talk())


def test_every_tool_answers_as_the_api_does_and_documents_are_read(live_server, level_2, client):
    calls = calls_of(level_2)
    tools, documents, texts, errors, read = spoken_with(live_server.url, calls)
    assert (sorted(tools), errors) == (sorted(calls), set())
    found = {name: json.loads(text) for name, text in texts.items()}
    address = "/api/v1/boards/grasp/?level=2&strategy=plausibility&group="
    tests, concepts = ({row["key"]: row for row in client.get(address + by).json()["rows"]} for by in ("", "concept"))
    assert found["read_row"]["row"] == tests[calls["read_row"]["key"]]
    assert found["explain_figure"]["figure"] == concepts["trial-study"]["cells"]["gravity"]
    assert found["explain_figure"]["source"]["slug"] == "study"
    assert "Simulated participants" in found["write_methods"]["methods"]["procedure"]
    assert len(found["list_items"]) == 2
    assert found["compare_rows"]["rows"]
    assert read == (ROOT / "docs/api.md").read_text()
    assert f"{live_server.url}/about/statistics/" in documents


def test_a_sealed_item_is_told_by_no_tool(live_server, pack):
    hide(pack.items.values_list("pk", flat=True), by="a-study")
    calls = {"list_items": {"benchmark": "grasp", "pack": "small"}, "read_item": {"public_id": "small0"}}
    _, _, texts, errors, _ = spoken_with(live_server.url, calls)
    assert json.loads(texts["list_items"]) == []
    assert errors == {"read_item"}
