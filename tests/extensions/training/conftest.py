"""Fixtures: a queue that sends nothing."""

from tests.evaluation.conftest import queue

__all__ = ["queue"]
