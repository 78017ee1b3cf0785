import pytest

from benchmarks.gallery import folder_queue


@pytest.fixture
def uploads_at_once(monkeypatch):
    """Uploaded folders are read as soon as they are queued, in this process."""
    monkeypatch.setattr(folder_queue, "queue_task", lambda task, pk: folder_queue.carry_out(pk))
