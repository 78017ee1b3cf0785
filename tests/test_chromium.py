"""One browser serves all tests of a session: it stays open, and its event loop is seen only while it is lent."""

import asyncio
import os
from contextlib import ExitStack

import pytest

from tests.chromium import SharedChromium

pytestmark = pytest.mark.browser


async def five():
    return 5


def test_a_browser_is_lent_again_and_elsewhere_neither_its_pages_nor_its_loop_are_seen():
    with ExitStack() as until_the_end:
        shared = SharedChromium(until_the_end)
        with shared.lent() as first:
            first.new_page().goto("data:text/html,<title>One</title>")
            assert os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] == "1"
        assert asyncio.run(five()) == 5
        assert "DJANGO_ALLOW_ASYNC_UNSAFE" not in os.environ
        with shared.lent() as second:
            assert second is first
            assert second.contexts == []
            page = second.new_page()
            page.goto("data:text/html,<title>Two</title>")
            assert page.title() == "Two"
    assert not first.is_connected()
    assert asyncio.run(five()) == 5


def test_a_browser_that_has_crashed_is_started_again():
    with ExitStack() as until_the_end:
        shared = SharedChromium(until_the_end)
        with shared.lent() as first:
            first.close()
        with shared.lent() as second:
            assert second.new_page().evaluate("1 + 1") == 2
