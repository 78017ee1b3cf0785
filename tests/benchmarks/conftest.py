import pytest

from benchmarks.definitions.registry import BENCHMARKS
from benchmarks.gallery import folder_queue
from benchmarks.models import Pack
from benchmarks.packs.import_release import import_release
from tests.benchmarks.grasp_release import write_release


@pytest.fixture
def grasp():
    return BENCHMARKS["grasp"]


@pytest.fixture
def small_pack(db, tmp_path, grasp) -> Pack:
    """A pack of a few tests of both levels."""
    scenes = ("ColorRed", "ShapeBall", "TwoObjectOrdering", "P_Gravity", "IP_Gravity", "IP_Inertia")
    return import_release(grasp, write_release(tmp_path / "release", scenes), pack_name="small").pack


@pytest.fixture(autouse=True)
def folders_at_once(monkeypatch):
    """Uploaded folders are read as soon as they are queued, in this process."""
    monkeypatch.setattr(folder_queue, "queue_task", lambda task, pk: folder_queue.carry_out(pk))
