"""Tiny models of the real families, each opened once for all tests that leave it as it is."""

from collections.abc import Callable

import pytest

from evaluation.adapters.transformers.adapter import TransformersModel
from tests.evaluation import tiny_families
from tests.evaluation.saved_families import opener


@pytest.fixture(scope="package")
def opened() -> Callable[[str], TransformersModel]:
    """Gives the model of the family of this name."""
    return opener(tiny_families.BUILDS.__getitem__, batch_size=4)
