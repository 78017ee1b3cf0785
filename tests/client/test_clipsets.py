"""A generator's clips go to the site in parts, and what its check found comes back by line."""

import pytest
from benchsite_client import ClientError
from django.core.management import call_command

from accounts.models import User
from accounts.roles import Role
from extensions.generated.clipsets import checking, uploads
from extensions.generated.models import ClipSet
from tests.extensions.generated.sets.folders import clip_set_folder, pack_folder, zipped

pytestmark = pytest.mark.django_db(transaction=True)
PART = 3000


@pytest.fixture
def author(site_of, tmp_path, monkeypatch):
    """The site as an author sees it, with prompts and a worker that checks at once."""
    monkeypatch.setattr(uploads, "queue_task", lambda task, pk: checking.carry_out(pk))
    monkeypatch.setattr(uploads, "PART", PART)
    call_command("import_benchmark", str(pack_folder(tmp_path / "prompts")), "--json")
    return site_of(User.objects.create_user("author", role=Role.AUTHOR))


def test_folder_goes_on_where_it_broke_off(author, tmp_path):
    folder, parts = clip_set_folder(tmp_path / "set"), []
    size = len(zipped(folder))

    def breaks_off(received, total):
        parts.append(received)
        if len(parts) == 1:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        author.clipset(folder, "falling", may_show=True, progress=breaks_off)
    found = author.clipset(folder, "falling", may_show=True, progress=breaks_off)
    assert parts[:-1] == list(range(PART, parts[-1], PART))
    assert (found.title, found.clips, found.page) == (
        "Sora 9 1",
        2,
        "http://testserver/leaderboard/generated/sets/sora-9-1/",
    )
    assert ClipSet.objects.get().received == parts[-1] > size / 2


@pytest.mark.parametrize("is_packed", [True, False])
def test_findings_come_back_by_line(author, tmp_path, is_packed):
    path = clip_set_folder(tmp_path / "set", fps=30)
    if is_packed:
        path = tmp_path / "set.zip"
        path.write_bytes(zipped(tmp_path / "set"))
    with pytest.raises(ClientError) as refused:
        author.clipset(path, "falling", may_show=True)
    assert [problem.partition(":")[0] for problem in refused.value.problems] == [
        "manifest.csv, line 2",
        "manifest.csv, line 3",
    ]


def test_clips_that_may_not_be_shown_stay(author, tmp_path):
    with pytest.raises(ClientError, match="right"):
        author.clipset(clip_set_folder(tmp_path / "set"), "falling", may_show=False)
    assert not ClipSet.objects.exists()
