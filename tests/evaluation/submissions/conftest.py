"""Fixtures for uploads: the small pack, and a user who sends files about it."""

import pytest

from accounts.models import User
from tests.evaluation.submissions.uploads import small_pack


@pytest.fixture
def pack(db):
    return small_pack()


@pytest.fixture
def user(db):
    return User.objects.create_user("ada", "ada@example.org")
