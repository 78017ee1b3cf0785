"""Tiny models of the real families, each opened once for all tests that leave it as it is."""

from collections.abc import Callable

import pytest

from evaluation.adapters.transformers.adapter import TransformersModel
from tests.evaluation import tiny_families
from tests.evaluation.saved_families import saved_once


@pytest.fixture(scope="package")
def opened() -> Callable[[str], TransformersModel]:
    """Gives the model of the family of this name."""
    made: dict[str, TransformersModel] = {}

    def open_family(name: str) -> TransformersModel:
        if name not in made:
            made[name] = TransformersModel(path=str(saved_once(getattr(tiny_families, name))), batch_size=4)
        return made[name]

    return open_family
