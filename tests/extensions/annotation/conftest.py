"""Fixtures for annotation studies: a real site with two of them, and Chromium."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser

from tests.humantrials.site import staged_site
from tests.site import Site

TRIALS: dict[str, dict] = {
    "box-keys": {"protocol": "pacs-annotation", "items": 2},
    "box-phone": {"protocol": "pacs-annotation", "items": 2},
}


@pytest.fixture(scope="session")
def site(tmp_path_factory) -> Iterator[Site]:
    with staged_site(tmp_path_factory.mktemp("annotation"), TRIALS) as running:
        yield running


@pytest.fixture(scope="module")
def browser(chromium) -> Browser:
    return chromium
