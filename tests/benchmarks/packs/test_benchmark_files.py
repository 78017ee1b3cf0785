"""A benchmark as a folder: import, runs, pages and studies without a line of Python."""

import re
from io import StringIO

import pytest
from django.core.management.base import CommandError

from benchmarks.definitions.registry import BENCHMARKS
from benchmarks.disclosure import PUBLIC, Fact, open_facts
from benchmarks.models import BenchmarkFile, Item, Pack
from benchmarks.packs.benchmark_files import from_database
from benchmarks.packs.clusters import labels_by_item
from evaluation.inputs.frames import decoded
from evaluation.prompting.strategies import conversation_for
from evaluation.runs.add_model import ensure_heuristics
from humantrials.protocols import PROTOCOLS
from tests.benchmarks.definitions.files.folders import TOML, write_folder
from tests.benchmarks.gallery.test_file_upload import send, zipped
from tests.benchmarks.odd_clips import NEAR, ZOO, distance, write
from tests.commands import say, told
from tests.factories import answer_to
from tests.site import manage
from tests.tables import lay_into

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("nobody_else_works")]


@pytest.fixture
def folder(tmp_path):
    return write_folder(tmp_path)


@pytest.fixture
def imported(folder):
    say("import_benchmark", folder)
    return BENCHMARKS["falling"]


def test_a_folder_becomes_a_benchmark(imported):
    pack = Pack.objects.get(benchmark="falling")
    assert (pack.items.count(), pack.clips.count()) == (18, 12)
    assert imported.groups.rule == "all"
    assert [(value.title, value.level) for value in imported.facet("test").values] == [("Drop", "1"), ("Roll", "1")]
    assert [value.value for value in imported.facet("scene").values] == ["scene-0", "scene-1", "scene-2"]
    second = pack.items.get(key="0-2")
    assert (second.group, second.place, second.rule, second.options) == ("p0", 2, "all", ["yes", "no"])
    letter = pack.items.get(key="what-0")
    assert (letter.text, letter.options) == ("What does it do?\n(A) falls\n(B) rises\n(C) stays", ["a", "b", "c"])
    assert (answer_to(second), answer_to(letter)) == ("no", "c")
    asked = [pack.items.get(key=key).pk for key in ("0-1", "0-2", "1-1")]
    one, of_its_pair, of_another = (labels_by_item(asked, benchmark="falling")[item] for item in asked)
    assert one == of_its_pair != of_another


@pytest.mark.parametrize("way", ["command", "upload"])
@pytest.mark.parametrize("name", ["turned by 90°", "a transport stream", "B-frames in Matroska", "slides"])
def test_an_odd_clip_is_shown_as_a_person_saw_it(way, name, folder, staff):
    odd = ZOO[name]
    write(folder / "clips/00-1.mp4", odd)
    if way == "command":
        say("import_benchmark", folder)
    else:
        files = {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}
        assert send(staff, zipped(files), "import").status_code == 302
    clip = Item.objects.get(key="0-1").media.get().clip
    for taken in (decoded(clip, sampler)[0] for sampler in ("first", "middle", "last")):
        number = max(number for time, number in odd.seen if time <= taken.seconds + 0.01)
        assert distance(taken.picture, number, odd) < NEAR
    pack = Pack.objects.get()
    assert pack.problems == []
    changes = [f"clips/00-1.mp4: {', '.join(odd.says)}"] if odd.says else []
    assert [change["what"] for change in pack.changes] == changes
    assert all(change in staff.get(pack.get_absolute_url()).content.decode() for change in changes)


def test_the_check_says_what_an_import_would_change_and_which_clips_it_would_leave_out(folder):
    write(folder / "clips/00-1.mp4", ZOO["turned by 90°"])
    assert "clips/00-1.mp4: turned by 90°" in say("check_benchmark", folder)
    (folder / "clips/00-1.mp4").write_bytes(b"no video")
    with pytest.raises(SystemExit):
        say("check_benchmark", folder)


def test_another_process_learns_of_it_from_the_database_within_a_transaction(imported, monkeypatch):
    monkeypatch.setattr("benchmarks.packs.benchmark_files._has_table", False)
    monkeypatch.setattr("benchmarks.packs.benchmark_files._seen", {})
    BENCHMARKS.put_files({})
    assert "falling" not in BENCHMARKS
    BENCHMARKS.put_files(from_database() or {})
    assert BENCHMARKS["falling"].facet("scene") == imported.facet("scene")


def test_a_new_process_opens_and_simulates_its_drafts(folder, tmp_path):
    """Both read the protocol first of all within their transaction, in a process that has read no benchmark yet."""
    lay_into(site := tmp_path / "site")
    typed = [
        ("import_benchmark", str(folder)),
        ("create_trial", "drops", "--protocol", "falling-people"),
        ("change_trial", "open", "drops"),
        ("create_trial", "rolls", "--protocol", "falling-people"),
    ]
    for words in typed:
        done = manage(site, *words)
        assert done.returncode == 0, done.stderr
    done = manage(site, "simulate_trial", "rolls", "--base-url", "http://127.0.0.1:1", "--participants", "1")
    assert (done.returncode, "Traceback" in done.stderr) == (2, False), done.stderr  # no site answers there


def test_models_are_asked_by_its_prompts(imported):
    item = Item.objects.get(key="what-1")
    (said, _) = conversation_for("falling-direct", item)
    assert said.text == "What does it do?\n(A) falls\n(B) rises\n(C) stays\nAnswer with one of: a\nb\nc"
    first, _, second, _ = conversation_for("falling-look", item)
    assert (first.text, first.clip) == ("What do you see?", "item")
    assert (second.text, second.clip) == (f"{item.text} (say which)", None)


def test_a_run_ends_with_a_row_and_its_pairs(imported, visitor):
    ensure_heuristics()
    run = told("start_run", "--model=always-yes", "--benchmark=falling", "--strategy=falling-direct", "--wait")
    assert (run["state"], run["answered"]) == ("finished", 18)
    assert (run["groups"]["score"], run["groups"]["n"]) == (0.0, 6)
    assert "prompting: direct," in say("export_table", "board:falling", "--format", "text")
    page = visitor.get("/leaderboard/falling/").content.decode()
    assert [text for text in ("Always yes", "By pair", "Model of the paper", "61.5") if text not in page] == []
    assert r"\begin{tab" in visitor.get("/leaderboard/falling/?format=latex").content.decode()
    pages = ["", "leaderboard/", "benchmarks/", "benchmarks/falling/", "benchmarks/falling/items/"]
    for address in (*pages, "explore/?benchmark=falling", "api/v1/benchmarks/falling/"):
        assert visitor.get(f"/{address}").status_code == 200, address
    assert "falling" in {board["benchmark"] for board in visitor.get("/api/v1/boards/").json()["boards"]}
    assert visitor.get("/api/v1/items/?benchmark=falling").json()["results"]
    assert "People and models" not in say("export_table", "human-vs-model:falling")


def test_people_are_asked_with_the_files_words(imported, visitor):
    assert "falling-people" in PROTOCOLS
    trial = told("create_trial", "falls", "--protocol=falling-people", "--open")
    assert (trial["slots"], trial["sheets"]) == (24, 2)
    page = visitor.get("/t/falls/?participant=me", follow=True).content.decode()
    assert "You are invited to watch short videos of falling things." in page
    options = PROTOCOLS["falling-people"].player.options_for(Item.objects.get(key="0-1"))
    assert [str(option.label) for option in options] == ["It can happen", "It can't"]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (("0-1,00-1.mp4", "0-1,00-9.mp4"), "line 2: clip: there is no file '00-9.mp4'"),
        (("happen?,,yes", "happen?,,maybe"), "line 2: answer: 'maybe' is no answer; there is: yes, no"),
        (("happen?,,yes", f"happen?,,{'yes ' * 60}"), "line 2: answer: has 239 letters, at most 200 are kept"),
        (("1-1,01-1", "0-1,01-1"), "line 5: id: '0-1' stands in line 2 already"),
        (("p0,2", "p0,1"), "line 3: place: place 1 of group 'p0' stands in line 2 already"),
        (("p0,2", "p0,two"), "line 3: place: 'two' is no place"),
        (("p0,2", "p0,000199"), "line 3: place: '000199' is no place"),
        ((",drop,", ",fall,"), "line 2: test: 'fall' is no value of it; there is: drop, roll"),
        ((",plausible,", ",likely,"), "line 2: kind: there is no kind 'likely'"),
        (("scene,test", "scene,tests"), "line 1: tests: there is no such column"),
        (("question,", ""), "line 1: question: this column is missing"),
        (("falls|rises|stays", "falls"), "line 4: options: what needs at least two options"),
        (("0-1,00-1.mp4", "0-1,../items.csv"), "is no video"),
        (("Can this happen?", " "), "line 2: question: is empty"),
        ((",scene-0,drop,,", ",scene-0,drop,test,"), "line 2: split: there is no split 'test'"),
    ],
)
def test_a_wrong_question_is_named_and_nothing_is_stored(folder, change, said):
    table = folder / "items.csv"
    table.write_text(table.read_text().replace(*change, 1))
    with pytest.raises(CommandError, match=r"\S") as mistake:
        say("import_benchmark", folder)
    assert said in str(mistake.value)
    assert mistake.value.returncode == 2
    assert not BenchmarkFile.objects.exists()
    assert not Pack.objects.filter(benchmark="falling").exists()
    assert "falling" not in BENCHMARKS


def test_a_group_of_one_is_refused_by_line_unless_its_size_says_that_others_are_missing(folder):
    table, text = folder / "items.csv", folder / "benchmark.toml"
    table.write_text(table.read_text().replace(",p0,2,", ",,,", 1))
    with pytest.raises(SystemExit):  # a finding: one group lacks a question
        say("check_benchmark", folder)
    text.write_text(text.read_text().replace("size = 2\n", ""))
    with pytest.raises(CommandError, match="line 2: group: 'p0' has this question alone: a group needs two or more"):
        say("import_benchmark", folder)
    assert not Item.objects.exists()


def test_a_broken_import_leaves_nothing(folder, monkeypatch):
    monkeypatch.setattr("benchmarks.packs.benchmark_files.store_release", lambda *_, **__: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        say("import_benchmark", folder)
    assert not BenchmarkFile.objects.exists()
    assert "falling" not in BENCHMARKS


def test_the_same_folder_changes_nothing_and_other_wording_needs_another_version(imported, folder):
    assert "which existed already" in say("import_benchmark", folder)
    assert BenchmarkFile.objects.count() == 1
    (folder / "benchmark.toml").write_text(TOML.replace("Answer with one of", "Say one of"))
    with pytest.raises(CommandError, match="raise version"):
        say("import_benchmark", folder)
    (folder / "benchmark.toml").write_text(TOML.replace("Made for a test.", "Made for another test."))
    say("import_benchmark", folder)
    assert BENCHMARKS["falling"].about == "Made for another test."


def test_a_question_that_all_of_a_kind_ask_stands_in_the_definition_alone(folder):
    text = TOML.replace('answer = "yes-no"', 'answer = "yes-no"\nquestion = "Could it happen?"')
    (folder / "benchmark.toml").write_text(text)
    with pytest.raises(CommandError, match="line 2: question: all of kind plausible ask 'Could it happen"):
        say("import_benchmark", folder)
    table = folder / "items.csv"
    table.write_text(table.read_text().replace("Can this happen?", ""))
    say("import_benchmark", folder)
    assert Item.objects.get(key="0-1").text == "Could it happen?"


def test_a_hidden_split_may_lack_answers_and_gets_them_later(folder):
    table = folder / "items.csv"
    table.write_text(table.read_text().replace("yes,p0,1,scene-0,drop,,", ",p0,1,scene-0,drop,held-out,", 1))
    say("import_benchmark", folder)
    assert answer_to(Item.objects.get(key="0-1")) is None
    answers = folder / "answers.csv"
    answers.write_text("item,answer\n0-1,yes\n")
    say("import_benchmark", "--answers", "falling", answers)
    assert open_facts(Item.objects.get(key="0-1"), to=PUBLIC) == {Fact.EXISTENCE}


def test_a_scaffold_becomes_a_benchmark_when_filled(tmp_path):
    say("new_benchmark", "my-clips", out=tmp_path / "mine")
    assert (tmp_path / "mine" / "benchmark.schema.json").is_file()
    with pytest.raises(CommandError, match="holds no questions"):
        say("check_benchmark", tmp_path / "mine")
    with pytest.raises(CommandError, match="exists already"):
        say("new_benchmark", "my-clips", out=tmp_path / "mine")
    with pytest.raises(CommandError, match="something else"):
        say("new_benchmark", "grasp", out=tmp_path / "other")


@pytest.mark.parametrize("linked", ["clips", "clips/more", "clips/00-1.mp4", "items.csv"])
@pytest.mark.parametrize("command", ["check_benchmark", "import_benchmark"])
def test_no_link_leads_out_of_the_folder(folder, tmp_path_factory, command, linked):
    outside = tmp_path_factory.mktemp("outside") / "there"
    if (folder / linked).exists():
        (folder / linked).rename(outside)
    else:
        outside.mkdir()
    (folder / linked).symlink_to(outside)
    with pytest.raises(CommandError) as error:
        say(command, folder)
    assert error.value.returncode == 2
    assert not BenchmarkFile.objects.exists()


def test_a_link_within_the_folder_is_followed(folder):
    (folder / "clips/00-1.mp4").rename(folder / "clips/there.mp4")
    (folder / "clips/00-1.mp4").symlink_to("there.mp4")
    assert "12 clips, 18 items" in say("import_benchmark", folder)


def test_the_check_previews_and_finds_nothing_in_a_clean_folder(tmp_path):
    said = say("check_benchmark", write_folder(tmp_path, pairs=12))
    assert "board and run, prompt falling-direct: 36 questions" in said
    assert "by pair 25.0 %" in said
    assert "study falling-people: 24 questions, 2 answers each, 4 sessions" in said
    assert "0 findings" in said


def telling_scene(line):
    return re.sub("scene-[0-2]", "good" if ",yes," in line else "bad", line)


def telling_name(text):
    return re.sub(r"\d\d-([12])\.mp4", lambda name: f"{('possible', 'impossible')[int(name[1]) - 1]}{name[0]}", text)


def asked_twice(line):
    return f"{line}\n{line.replace('what-', 'more-')}" if line.startswith("what-") else line


@pytest.mark.parametrize(
    ("plant", "finding"),
    [
        (telling_scene, "facet scene"),
        (telling_name, "names of clips: tells the answer of 24 of 24"),
        (lambda line: line.replace(",no,", ",yes,"), "kind plausible"),
        (asked_twice, "option 'b': is never the answer, among 24 questions of kind what"),
    ],
)
def test_the_check_finds_what_tells_the_answers(tmp_path, plant, finding):
    table = write_folder(tmp_path, pairs=12) / "items.csv"
    head, *lines = table.read_text().splitlines()
    table.write_text("\n".join([head, *(plant(line) for line in lines)]) + "\n")
    for clip in (tmp_path / "clips").iterdir():
        clip.with_name(telling_name(clip.name)).hardlink_to(clip)
    with pytest.raises(SystemExit):
        say("check_benchmark", tmp_path, stdout=(out := StringIO()))
    assert finding in out.getvalue()
