"""Fixtures for clips."""

from collections.abc import Iterator

import pytest


@pytest.fixture(scope="module")
def draft() -> Iterator[None]:
    """Draw small shadows without anti-aliasing, which takes a third of the time, for tests that don't look at them."""
    from scenes.rendering import studio

    studio.use_quality(samples=0, shadow_size=256)
    yield
    studio.use_quality()
