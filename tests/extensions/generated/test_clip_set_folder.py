"""A clip set in a folder, checked by command: real clips in a limited process, every defect in its place."""

import json

import pytest
from django.core.management import call_command

from extensions.generated.models import Prompt, PromptPack
from tests.extensions.generated.test_lint import CARD
from tests.extensions.generated.test_seeing import MOVING, encoded

pytestmark = pytest.mark.django_db
FACTS = {
    "fps = 24": "fps = 24",
    "seconds = 5": "seconds = 1.25",
    "width = 640": "width = 128",
    "height = 360": "height = 96",
}


@pytest.fixture
def folder(tmp_path):
    """Two clips for the two prompts of a pack."""
    pack = PromptPack.objects.create(slug="falling", title="Falling", preset="phyground")
    Prompt.objects.bulk_create(Prompt(pack=pack, key=key) for key in ("ball", "cup"))
    card = CARD
    for line, said in FACTS.items():
        card = card.replace(line, said)
    (tmp_path / "card.toml").write_text(card)
    (tmp_path / "manifest.csv").write_text("prompt,file,seed\nball,clips/a.mp4,1\ncup,clips/b.mp4,2\n")
    (tmp_path / "clips").mkdir()
    encoded(tmp_path / "clips" / "a.mp4", MOVING)
    encoded(tmp_path / "clips" / "b.mp4", MOVING[::-1])
    return tmp_path


def checked(folder, capsys):
    """The object that the command prints, and its exit code."""
    code = 0
    try:
        call_command("check_benchmark", str(folder), "--json")
    except SystemExit as stop:
        code = stop.code
    return json.loads(capsys.readouterr().out), code


def test_good_set_has_no_error(folder, capsys):
    assert checked(folder, capsys) == ({"title": "2 clips for 2 prompts", "errors": [], "notes": []}, 0)


def test_broken_clip_and_wrong_card_are_named_at_once(folder, capsys):
    (folder / "clips" / "b.mp4").write_bytes(b"no video")
    (folder / "card.toml").write_text((folder / "card.toml").read_text().replace("fps = 24", "fps = 30"))
    report, code = checked(folder, capsys)
    assert code == 1
    assert [error["where"] for error in report["errors"]] == ["manifest.csv, line 2", "manifest.csv, line 3"]
    assert "the card says 30" in report["errors"][0]["what"]


def test_unknown_prompt_pack_is_named_with_those_that_are_here(folder, capsys):
    (folder / "card.toml").write_text((folder / "card.toml").read_text().replace('"falling"', '"flying"'))
    report, code = checked(folder, capsys)
    assert code == 1
    assert report["errors"] == [
        {"where": "card.toml, prompts", "what": "'flying' is no prompt pack here; there are: falling"}
    ]


def test_folder_without_card_names_every_field(folder, capsys):
    (folder / "card.toml").unlink()
    report, _ = checked(folder, capsys)
    assert {error["where"] for error in report["errors"]} >= {"card.toml, prompts", "card.toml, version"}
