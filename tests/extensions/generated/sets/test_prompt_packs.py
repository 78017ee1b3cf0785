"""Prompt packs from a folder: stored once, everything that is wrong is named with its file, line and column."""

import json
from contextlib import suppress

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import CommandError, call_command

from accounts.roles import Role
from benchmarks.storage.store import store
from extensions.generated.dimensions import PRESETS
from extensions.generated.judging.import_scores import import_scores
from extensions.generated.models import ClipSet, ClipSetState, PromptPack
from tests.extensions.generated.sets.folders import PACK, PROMPTS, imported, pack_folder, zipped

pytestmark = pytest.mark.django_db
OWN = """
[[dimensions]]
name = "lands"
question = "Does it land?"
anchors = ["No", "Yes"]
first = 0
"""


def found(root, capsys):
    """Places and sentences that the check prints, errors and notes."""
    with suppress(SystemExit):
        call_command("check_benchmark", str(root), "--json")
    report = json.loads(capsys.readouterr().out)
    return [tuple(each.values()) for each in report["errors"]], [tuple(each.values()) for each in report["notes"]]


def test_pack_is_stored_with_its_dimensions_and_first_frames(tmp_path, capsys):
    facts = imported(pack_folder(tmp_path), capsys)
    pack = PromptPack.objects.get()
    ball, cup = pack.prompts.all()
    assert facts == {"pack": "falling", "version": "1.0", "prompts": 2, "is_new": True}
    assert [dimension.name for dimension in pack.dimensions] == ["PC", "SA"]
    assert [dimension.shows_prompt for dimension in pack.dimensions] == [False, True]
    assert (ball.text, ball.laws, cup.first_frame) == ("A ball falls, and bounces.", ["gravity", "collision"], "")
    assert "ball" not in ball.first_frame
    assert store().size(ball.first_frame)


def test_same_pack_changes_nothing_and_another_under_its_version_is_refused(tmp_path, capsys):
    root = pack_folder(tmp_path)
    imported(root, capsys)
    before = list(PromptPack.objects.get().prompts.values_list("pk", "first_frame"))
    assert not imported(root, capsys)["is_new"]
    assert list(PromptPack.objects.get().prompts.values_list("pk", "first_frame")) == before
    (root / "prompts.csv").write_text(PROMPTS.replace("slides", "rolls"))
    with pytest.raises(CommandError, match=r"falling 1.0 is here with other content: raise version"):
        imported(root, capsys)


def test_another_version_replaces_prompts_until_clips_were_made_for_them(tmp_path, capsys):
    root = pack_folder(tmp_path)
    imported(root, capsys)
    old = PromptPack.objects.get().prompts.get(key="ball").first_frame
    (root / "benchmark.toml").write_text(PACK.replace("1.0", "1.1"))
    (root / "prompts.csv").write_text(PROMPTS.replace("cup,A cup", "jar,A jar"))
    assert imported(root, capsys)["is_new"]
    assert [prompt.key for prompt in PromptPack.objects.get().prompts.all()] == ["ball", "jar"]
    ClipSet.objects.create(pack=PromptPack.objects.get(), slug="s", key="s", state=ClipSetState.LISTED)
    (root / "benchmark.toml").write_text(PACK.replace("1.0", "1.2"))
    with pytest.raises(CommandError, match=r"there are clip sets for falling 1.1"):
        imported(root, capsys)
    assert old != PromptPack.objects.get().prompts.get(key="ball").first_frame


def test_pack_that_came_with_scores_gets_its_texts_if_all_of_its_prompts_are_there(phyground, tmp_path, capsys):
    import_scores(phyground)
    keys = list(PromptPack.objects.get().prompts.values_list("key", flat=True))
    pack = PACK.replace("falling", "phyground").replace("videophy2", "phyground")
    lines = [f'"{key}",Words of it.,gravity,' for key in keys]
    root = pack_folder(tmp_path / "pack", pack, "\n".join(["id,prompt,laws,first_frame", *lines[1:]]))
    with pytest.raises(CommandError, match=f"judges rated 1 prompts that are not here, first '{keys[0]}'"):
        imported(root, capsys)
    (root / "prompts.csv").write_text("\n".join(["id,prompt,laws,first_frame", *lines]))
    imported(root, capsys)
    assert set(PromptPack.objects.get().prompts.values_list("text", flat=True)) == {"Words of it."}


OWN_PACK = PACK.replace('preset = "videophy2"', OWN)
MISTAKES = {
    "no such preset": (PACK.replace("videophy2", "videophy3"), PROMPTS, "benchmark.toml, line 8, preset"),
    "a preset and dimensions": (PACK + OWN, PROMPTS, "benchmark.toml, line 8, preset"),
    "no slug": (PACK.replace('slug = "falling"', ""), PROMPTS, "benchmark.toml, line 1, slug"),
    "an address of the site": (PACK.replace('"falling"', '"sets"'), PROMPTS, "benchmark.toml, line 2, slug"),
    "an unknown key": (PACK + "colour = 1\n", PROMPTS, "benchmark.toml, line 9, colour"),
    "no TOML": (PACK + "colour = \n", PROMPTS, "benchmark.toml, line 9"),
    "a scale of one": (
        OWN_PACK.replace('["No", "Yes"]', '["Yes"]'),
        PROMPTS,
        "benchmark.toml, line 12, dimensions[1].anchors",
    ),
    "values unlike anchors": (
        OWN_PACK.replace("first = 0", 'values = ["a", "b", "c"]'),
        PROMPTS,
        "benchmark.toml, line 13, dimensions[1].values",
    ),
    "words in braces": (
        OWN_PACK.replace("Does it land?", "Does {it} land?"),
        PROMPTS,
        "benchmark.toml, line 9, dimensions[1]",
    ),
    "a name too long for judges": (
        OWN_PACK.replace('"falling"', f'"{"f" * 28}"').replace("lands", "l" * 10),
        PROMPTS,
        "benchmark.toml, line 10, dimensions[1].name",
    ),
    "more dimensions than an answer holds": (
        PACK.replace('preset = "videophy2"', "".join(OWN.replace("lands", f"{n:a<20}") for n in "bcdefghijkl")),
        PROMPTS,
        "prompts.csv, line 2, laws",
    ),
    "no such column": (PACK, PROMPTS.replace("laws", "lawz", 1), "prompts.csv, line 1, lawz"),
    "no ids": (PACK, PROMPTS.replace("id,", "name,", 1), "prompts.csv, line 1, name"),
    "an empty prompt": (PACK, PROMPTS + "jar,,,\n", "prompts.csv, line 4, prompt"),
    "an id again": (PACK, PROMPTS + "cup,A cup.,,\n", "prompts.csv, line 4, id"),
    "an id in capitals": (PACK, PROMPTS + "Cup,A cup.,,\n", "prompts.csv, line 4, id"),
    "a law of no dimension": (
        PACK.replace("videophy2", "phyground"),
        PROMPTS.replace("gravity|", "magic|"),
        "prompts.csv, line 2, laws",
    ),
    "no such file": (PACK, PROMPTS.replace("ball.png", "bill.png"), "prompts.csv, line 2, first_frame"),
    "a file outside": (PACK, PROMPTS.replace("frames/ball.png", "../../x.png"), "prompts.csv, line 2, first_frame"),
    "no picture": (PACK, PROMPTS.replace("frames/ball.png", "prompts.csv"), "prompts.csv, line 2, first_frame"),
    "a cell too many": (PACK, PROMPTS + "jar,A jar.,,,x\n", "prompts.csv, line 4"),
    "no CSV": (PACK, PROMPTS + 'jar,"A jar.,,\n', "prompts.csv, line 4"),
    "no prompts": (PACK, "id,prompt\n", "prompts.csv, line 1"),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_mistake_is_named_with_its_place(name, tmp_path, capsys):
    pack, prompts, place = MISTAKES[name]
    errors, _ = found(pack_folder(tmp_path, pack, prompts), capsys)
    assert place in [where for where, _ in errors]
    assert PromptPack.objects.count() == 0


def test_mistakes_of_both_files_are_named_at_once_and_nothing_is_stored(tmp_path, capsys):
    root = pack_folder(tmp_path, PACK.replace("videophy2", "x"), PROMPTS + "ball,,,\n")
    errors, _ = found(root, capsys)
    assert [where for where, _ in errors] == [
        "benchmark.toml, line 8, preset", "prompts.csv, line 4, id", "prompts.csv, line 4, prompt"
    ]  # fmt: skip
    with pytest.raises(CommandError, match="and 2 more: check_benchmark lists them"):
        imported(root, capsys)
    assert PromptPack.objects.count() == 0


def test_picture_that_can_t_be_read_is_named(tmp_path, capsys):
    root = pack_folder(tmp_path)
    (root / "frames" / "ball.png").write_bytes(b"no picture")
    ((where, what),) = found(root, capsys)[0]
    assert where == "prompts.csv, line 2, first_frame"
    assert "can't be read" in what


def test_check_notes_what_is_worth_a_look(tmp_path, capsys):
    prompts = PROMPTS + "two,A CUP slides off a table.,,\n"
    _, notes = found(pack_folder(tmp_path, PACK.replace("videophy2", "phyground"), prompts), capsys)
    assert ("prompts.csv", "2 prompts have the same words, 'a cup slides off a table.'") in notes
    assert ("benchmark.toml", "no prompt has a law of dimension shadow") in notes


def send(client, content, act):
    return client.post("/benchmark-files/", {"folder": SimpleUploadedFile("pack.zip", content), act: ""}, follow=True)


@pytest.fixture
def author(client, django_user_model):
    client.force_login(django_user_model.objects.create_user("author", role=Role.AUTHOR))
    return client


def test_author_sends_a_pack_by_page(author, uploads_at_once, tmp_path):
    content = zipped(pack_folder(tmp_path / "good"))
    broken = zipped(pack_folder(tmp_path / "bad", prompts=PROMPTS + "ball,,,\n"))
    page = send(author, broken, "import")
    assert page.status_code == 422
    assert "prompts.csv, line 4, id" in page.content.decode()
    assert "No mistake found." in send(author, content, "check").content.decode()
    assert PromptPack.objects.count() == 0
    assert send(author, content, "import").redirect_chain[-1][0] == "/leaderboard/generated/falling/"
    assert PromptPack.objects.get().title == "Falling things"


def test_author_sends_no_benchmark_and_a_reader_nothing(author, uploads_at_once, client, django_user_model):
    from tests.benchmarks.gallery.test_file_upload import zipped as zip_of

    page = send(author, zip_of({"benchmark.toml": b"slug = 1"}), "import")
    assert "which only the site&#x27;s administrators import" in page.content.decode()
    client.force_login(django_user_model.objects.create_user("reader"))
    assert client.get("/benchmark-files/").status_code == 403


def test_presets_are_scales_that_a_benchmark_accepts():
    for preset in PRESETS.values():
        assert all(dimension.question and len(dimension.values) > 1 for dimension in preset.dimensions)
    assert len(PRESETS["phyground"].dimensions) == 16
    assert len(PRESETS["worldmodelbench"].dimensions) == 8
    assert PRESETS["videophy2"].joint == {"PC": 4, "SA": 4}
