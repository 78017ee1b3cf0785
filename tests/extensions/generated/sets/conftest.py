import pytest
from django.core.management import call_command

from benchmarks.gallery import folder_queue
from extensions.generated.clipsets import checking, uploads
from extensions.generated.clipsets.moderation import list_set
from extensions.generated.models import ClipSet, PromptPack
from humantrials.models import Trial
from tests.extensions.generated.sets.folders import MADE_HERE, TRUTH, clip_set_folder, pack_folder


@pytest.fixture
def uploads_at_once(monkeypatch):
    """Uploaded folders and clip sets are read as soon as they are queued, in this process."""
    monkeypatch.setattr(folder_queue, "queue_task", lambda task, pk: folder_queue.carry_out(pk))
    monkeypatch.setattr(uploads, "queue_task", lambda task, pk: checking.carry_out(pk))


@pytest.fixture
def pack(db, tmp_path):
    call_command("import_benchmark", str(pack_folder(tmp_path / "pack")), "--json")
    return PromptPack.objects.get()


@pytest.fixture
def listed(pack, tmp_path, admin_user):
    """Three listed sets of the pack: two generators, and one that was made here with known truth."""
    for number, (name, fields) in enumerate({"sora": {}, "veo": {"generator": "Veo 9"}, "six": MADE_HERE}.items()):
        root = clip_set_folder(tmp_path / name, 4 + number, truth=TRUTH if name == "six" else "", **fields)
        call_command("import_benchmark", str(root), "--json")
    sets = list(ClipSet.objects.all())
    for clip_set in sets:
        list_set(clip_set=clip_set, by_id=admin_user.pk)
        clip_set.refresh_from_db()
    return sets


@pytest.fixture
def make_closed_trial():
    """A study of a pack that is over, without people."""

    def make(questions):
        return Trial.objects.create(slug="over", title="Over", protocol="falling-rate", pack=questions, state="closed")

    return make
