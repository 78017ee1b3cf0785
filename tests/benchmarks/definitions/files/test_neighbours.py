"""IntPhys 2, MVP, CausalVQA and Video-MME-v2: folders in their layouts become boards, with hand-computed scores."""

import csv
import json
import random
from itertools import groupby

import pytest
from django.core.management.base import CommandError

from accounts.models import User
from benchmarks.definitions.files import neighbours
from benchmarks.definitions.files.neighbours import PLACES, TASKS
from benchmarks.definitions.registry import BENCHMARKS
from benchmarks.models import Item, Pack
from benchmarks.packs.benchmark_files import shipped
from evaluation.adapters.dialogue import Dialogue
from evaluation.adapters.openai.messages import messages
from evaluation.adapters.openai.options import ServerOptions
from evaluation.models import Listing, Run
from evaluation.parsing import PARSERS
from evaluation.prompting.requests import Asking
from evaluation.prompting.strategies import Say, conversation_for
from evaluation.runs.add_model import ensure_heuristics
from evaluation.runs.results import computed
from leaderboard.standings.refresh import refresh
from measures.scores.parsed_answers import ParserContext
from tests.benchmarks.grasp_release import write_clip
from tests.commands import say, told
from tests.factories import answer_to

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("nobody_else_works")]


def table(path, rows):
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)


@pytest.fixture
def intphys2(tmp_path):
    """Three quads of Main, and one of the held-out split, whose metadata have no type."""
    root, rows = tmp_path / "IntPhys2", []
    for scene in range(3):
        for place, kind in enumerate(PLACES):
            name = f"{scene:03}_{kind}"
            write_clip(root / "Main" / "Videos" / f"{name}.mp4", seed=10 * scene + place)
            facets = {"condition": ("permanence", "solidity")[scene % 2], "Camera": "fixed", "Difficulty": "Easy"}
            rows.append({"SceneIndex": scene, "filename": f"{name}.mp4", "type": kind, **facets})
    table(root / "Main" / "metadata.csv", rows)
    for number in range(4):
        write_clip(root / "Held-out" / "Videos" / f"h{number}.mp4", seed=100 + number)
    table(root / "Held-out" / "metadata.csv", [{"SceneIndex": 7, "file_name": f"h{number}.mp4"} for number in range(4)])
    return root


@pytest.fixture
def mvp(tmp_path):
    """Four pairs in two subsets of mini; of one pair a source video is missing."""
    root = tmp_path / "MVP"
    for number, task in enumerate(TASKS[:2]):
        lines = []
        for pair in range(2):
            for place in (1, 2):
                path = f"star/{task}-{pair}-{place}.mp4"
                if (number, pair, place) != (1, 1, 2):
                    write_clip(root / "videos" / path, seed=number * 10 + pair * 2 + place)
                candidates = ["The red one", "The blue one"]
                row = {"video_id": f"q{pair}_{place}", "video_path": path, "source": "star", "question": "Which falls?"}
                row |= {"candidates": candidates if pair else str(candidates), "answer": candidates[place - 1]}
                lines.append(json.dumps(row))
        (root / f"mvp_mini_{task}.jsonl").write_text("\n".join(lines) + "\n")
    return root


@pytest.fixture
def causalvqa(tmp_path):
    root = tmp_path / "CausalVQA"
    for split in ("debug", "test"):
        rows = []
        for number in range(3):
            write_clip(root / "data" / split / "videos" / f"{split}{number}.mp4", seed=number + 50 * (split == "test"))
            row = {"qid": number, "type": "Anticipation", "question": "What comes next?", "difficulty": "easy"}
            row |= {"choices1": "1. It falls|2. It stays|3. It rises", "choices2": "1. It stays|2. It falls down"}
            row |= {"correct1": 1, "correct2": 2} if split == "debug" else {}
            rows.append(row | {"renamed_video": f"{split}{number}.mp4"})
        table(root / "data" / split / "annotations.csv", rows)
    return root


def run_of(slug, strategy, model="always-yes", *words):
    ensure_heuristics()
    return told("start_run", f"--model={model}", f"--benchmark={slug}", f"--strategy={strategy}", *words, "--wait")


def submit(slug, strategy, split, lines, tmp_path):
    User.objects.get_or_create(username="ada")
    path = tmp_path / f"{slug}.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    pack = Pack.objects.get(benchmark=slug).name
    where = (f"--benchmark={slug}", f"--pack={pack}", f"--strategy={strategy}", f"--split={split}")
    return told("submit", path, "--as=ada", "--model=Mine", "--condition=video", *where)


def groups_of(run):
    found = computed(Run.objects.get(pk=run), whole=True)
    return found.groups.n, found.groups.accuracy


def test_intphys2_has_quads_and_its_own_submissions(intphys2, tmp_path):
    assert "16 clips, 16 items" in say("import_benchmark", "intphys2", intphys2)
    quad = [answer_to(item) for item in Item.objects.filter(group="main/0").order_by("place")]
    assert quad == ["yes", "no", "yes", "no"]
    run = run_of("intphys2", "intphys2-direct")
    assert (run["accuracy"], run["groups"]["score"], run["groups"]["n"]) == (0.5, 0.0, 3)
    last = (2, "1_Impossible")  # counted as possible
    lines = [
        {"filename": f"{scene:03}_{kind}.mp4", "model_answer": "_P" in kind or (scene, kind) == last}
        for scene in range(3)
        for kind in PLACES
    ]
    done = submit("intphys2", "intphys2-direct", "main", lines, tmp_path)
    assert done["rows"] == 12
    n, score = groups_of(done["run"])
    assert (n, round(score, 3)) == (3, 0.667)


@pytest.mark.parametrize("form", ["of the leaderboard", "of lmms-eval"])
def test_intphys2_takes_the_lines_of_its_leaderboard_and_of_lmms_eval(intphys2, tmp_path, form):
    say("import_benchmark", "intphys2", intphys2)

    def line(name, right):
        if form == "of the leaderboard":
            return {"data_name": "intphys2", "task": "Main", "row_id": name, "model_answer": int(right)}
        doc = {"SceneIndex": 0, "file_name": f"{name}.mp4", "condition": "permanence", "type": None}
        return {"doc_id": 0, "doc": doc, "target": "Possible", "resps": [["Yes." if right else "No."]]}

    lines = [line(f"{scene:03}_{kind}", "_P" in kind) for scene in range(3) for kind in PLACES]
    done = submit("intphys2", "intphys2-direct", "main", lines, tmp_path)
    assert (done["rows"], done["score"]) == (12, 1.0)


def test_the_samples_of_mvps_lmms_eval_task_name_clips_by_video_id(mvp, tmp_path):
    """Its metrics name the clip, since lmms-eval leaves `doc` out of the samples."""
    for path in mvp.glob("*.jsonl"):  # as in the release, no video has the name of another
        path.write_text(path.read_text().replace('"video_id": "q', f'"video_id": "{path.stem}-q'))
    say("import_benchmark", "mvp", mvp)
    strategy = BENCHMARKS["mvp"].strategies[0]
    items = Item.objects.filter(pack__benchmark="mvp")
    lines = [
        {"doc_id": number, "filtered_resps": ["A"], "pair_accuracy": {"video_id": item.key.rpartition("/")[2]}}
        for number, item in enumerate(items)
    ]
    assert submit("mvp", strategy.name, "mini", lines, tmp_path)["rows"] == len(lines)


def test_a_name_that_leads_out_of_the_folder_is_a_missing_video(intphys2):
    write_clip(intphys2 / "secret.mp4", seed=3)
    metadata = intphys2 / "Main/metadata.csv"
    metadata.write_text(metadata.read_text().replace("000_1_Possible.mp4", "../../secret.mp4"))
    assert "the video is missing" in say("import_benchmark", "intphys2", intphys2, "--split", "main")
    assert Pack.objects.get(benchmark="intphys2").clips.count() == 11


def test_each_rendering_of_a_scene_is_a_quad(intphys2):
    path = intphys2 / "Main" / "metadata.csv"
    columns, *lines = path.read_text().splitlines()
    one_scene = [line.replace(line.partition(",")[0] + ",", "7,", 1) for line in lines]
    path.write_text("\n".join([columns, *reversed(one_scene)]) + "\n")
    say("import_benchmark", "intphys2", intphys2)
    for group, rendering in {"main/7": "000_", "main/7/2": "001_", "main/7/3": "002_"}.items():
        quad = Item.objects.filter(group=group).order_by("place").values_list("key", flat=True)
        assert list(quad) == [f"main/{rendering}{kind}" for kind in PLACES]


def test_held_out_answers_are_scored_once_they_are_imported(intphys2, tmp_path):
    say("import_benchmark", "intphys2", intphys2)
    lines = [{"file_name": f"h{number}.mp4", "model_answer": number % 2 == 0} for number in range(4)]
    done = submit("intphys2", "intphys2-direct", "held-out", lines, tmp_path)
    assert done["score"] is None
    assert groups_of(done["run"])[0] == 0
    answers = tmp_path / "answers.csv"
    answers.write_text("item,answer\n" + "".join(f"held-out/h{n},{'yes' if n % 2 == 0 else 'no'}\n" for n in range(4)))
    say("import_benchmark", "--answers", "intphys2", answers)
    assert groups_of(done["run"]) == (1, 1.0)


@pytest.mark.parametrize(
    ("cells", "facets"),
    [
        ({"condition": "continuity_swap"}, {"test": ("continuity",)}),
        ({"condition": "immutability_texture"}, {"test": ("immutability",)}),
        ({"condition": "solidity", "game_name": "Box"}, {"test": ("solidity",), "camera": ("Moving",)}),
        ({"game_name": "RotatingCup", "env": "Egypt_0"}, {"camera": ("Fixed",), "difficulty": ("Hard",)}),
        ({"env": "Salt_0", "Difficulty": "Easy", "Camera": "static"}, {"camera": ("static",), "difficulty": ("Easy",)}),
        ({"game_name": "Unknown", "env": "Moon"}, {}),
    ],
)
def test_facets_of_intphys2_are_those_of_its_notebook(cells, facets):
    assert neighbours._intphys2_facets(cells) == facets


def test_no_prompt_of_intphys2_names_condition_camera_or_difficulty(intphys2):
    say("import_benchmark", "intphys2", intphys2)
    item = Item.objects.filter(group="main/0").first()
    for strategy in ("intphys2-direct", "intphys2-cot"):
        said = " ".join(part.text for part in conversation_for(strategy, item) if isinstance(part, Say))
        assert not any(word in said.lower() for word in ("permanence", "fixed", "easy", "camera"))


def test_mvp_counts_pairs_whose_videos_are_missing(mvp, tmp_path, visitor):
    said = say("import_benchmark", "mvp", mvp)
    assert "Not a whole release: 1 gap" in said
    assert "7 clips, 7 items" in said
    first = Item.objects.get(key=f"mini/{TASKS[0]}/q0_1")
    assert (first.text, answer_to(first)) == ("Which falls?\nOption:\n(A) The red one\n(B) The blue one", "a")
    names = [(task, f"q{pair}_{place}") for task in TASKS[:2] for pair in range(2) for place in (1, 2)][:-1]
    said = [f"The {'red' if name.endswith('_1') or name == 'q1_2' else 'blue'} one" for _, name in names]
    lines = [
        {"data_name": "mvp_mini", "task": task, "row_id": name, "model_answer": answer}
        for (task, name), answer in zip(names, said, strict=True)
    ]
    done = submit("mvp", "mvp-direct", "mini", lines, tmp_path)
    n, score = groups_of(done["run"])
    assert (n, round(score, 3)) == (3, 0.667)
    Run.objects.filter(pk=done["run"]).update(listing=Listing.LISTED)
    refresh()
    row = visitor.get("/leaderboard/mvp/?format=json").json()["rows"][-1]
    assert row["overall"]["group"]["incomplete"] == 1
    assert row["overall"]["group"]["chance"] == 0.25


def test_causalvqa_asks_each_question_twice(causalvqa):
    say("import_benchmark", "causalvqa", causalvqa)
    both = Item.objects.filter(group="debug/1").order_by("place")
    assert [(answer_to(one), len(one.options)) for one in both] == [("a", 3), ("b", 2)]
    assert {answer_to(item) for item in Item.objects.filter(group__startswith="test/")} == {None}
    run = run_of("causalvqa", "causalvqa-direct", "random")
    assert (run["groups"]["n"], run["answered"]) == (3, 6)


def sample(number, qid, version, letter):
    """A sample as lmms-eval writes it, with the document from CausalVQA's own script."""
    doc = {"id": qid, "task": "Anticipation", "subset": "easy", "n": version, "video_path": "debug0.mp4"}
    doc |= {"question": "What comes next?", "choices": [["A", "It falls"], ["B", "It stays"]], "answer": "A"}
    doc |= {"strata": "Anticipation_easy"}
    reply = f"Your Answer Letter: {letter} END"
    return {"doc_id": number, "doc": doc, "target": "A", "resps": [[reply]], "filtered_resps": [reply]}


def test_causalvqa_takes_the_samples_of_its_own_task(causalvqa, tmp_path):
    say("import_benchmark", "causalvqa", causalvqa)
    replies = [("A", "B"), ("A", "A"), ("C", "A")]  # right are A, then B
    lines = [sample(2 * qid + n, qid, n, letters[n]) for n in (0, 1) for qid, letters in enumerate(replies)]
    done = submit("causalvqa", "causalvqa-official-reading", "debug", lines, tmp_path)
    assert (done["rows"], done["score"]) == (6, 0.5)
    assert groups_of(done["run"]) == (3, pytest.approx(1 / 3))
    with pytest.raises(CommandError):
        submit("causalvqa", "causalvqa-official-reading", "debug", [sample(0, 99, 0, "A"), *lines[1:]], tmp_path)


def test_withheld_answers_of_causalvqa_are_scored_later(causalvqa, tmp_path):
    say("import_benchmark", "causalvqa", causalvqa)
    lines = [sample(qid, qid, n, "AB"[n]) for qid in range(3) for n in (0, 1)]
    done = submit("causalvqa", "causalvqa-official-reading", "test", lines, tmp_path)
    assert done["score"] is None
    answers = tmp_path / "answers.csv"
    answers.write_text("item,answer\n" + "".join(f"test/{q}/{n},{'ab'[n - 1]}\n" for q in range(3) for n in (1, 2)))
    say("import_benchmark", "--answers", "causalvqa", answers)
    assert groups_of(done["run"]) == (3, 1.0)


@pytest.mark.parametrize(
    ("slug", "file", "change", "said"),
    [
        ("intphys2", "Main/metadata.csv", ("1_Possible,", "3_Possible,"), "metadata.csv, line 2: type"),
        ("mvp", f"mvp_mini_{TASKS[0]}.jsonl", ('"q0_1"', '"q0"'), "line 1: video_id: 'q0' is no PAIR_1"),
        ("mvp", f"mvp_mini_{TASKS[0]}.jsonl", ('"answer": "The red', '"answer": "A red'), "line 1: answer"),
        ("causalvqa", "data/debug/annotations.csv", ("1. It falls|2. It", "It"), "line 2: choices1"),
        ("causalvqa", "data/debug/annotations.csv", ("choices2", "choices3"), "choices2: this column is missing"),
    ],
)
def test_a_strange_row_is_named(request, slug, file, change, said):
    root = request.getfixturevalue(slug)
    path = root / file
    path.write_text(path.read_text().replace(*change, 1))
    with pytest.raises(CommandError) as mistake:
        say("import_benchmark", slug, root)
    assert said in str(mistake.value)
    assert not Pack.objects.filter(benchmark=slug).exists()


def test_a_folder_of_something_else_is_refused(tmp_path):
    for slug in ("intphys2", "mvp", "causalvqa"):
        with pytest.raises(CommandError, match="is no folder of"):
            say("import_benchmark", slug, tmp_path)


def test_video_mme_v2_has_the_rules_of_both_kinds_of_group(tmp_path):
    assert "video-mme-v2" in shipped()
    rows = []
    for video, rule in enumerate(("square", "chain")):
        write_clip(tmp_path / "clips" / f"{video}.mp4", seed=video)
        for place in range(1, 5):
            row = {"id": f"{video}-{place}", "clip": f"{video}.mp4", "question": f"Question {place}?"}
            row |= {"options": "|".join(f"option {n}" for n in range(8)), "answer": "a" if place != 3 else "b"}
            rows.append(row | {"group": video, "place": place, "rule": rule})
    table(tmp_path / "items.csv", rows)
    say("import_benchmark", "video-mme-v2", tmp_path)
    lines = [{"item": one.public_id, "answer": "a"} for one in Item.objects.order_by("pk")]
    done = submit("video-mme-v2", "video-mme-v2-direct", "all", lines, tmp_path)
    assert groups_of(done["run"]) == (2, pytest.approx((0.75**2 + 0.5) / 2))


# --- Official prompts, read from a copy of the repositories ---

PROGRAM = """
prompt1, other = "No.", 1
prompt1 = "Could it be? Yes or No"
prompt2 = "Could it be? 1 or 0"
prompt3 = "Could it be, yes or no?"
messages = [{"role": "user", "content": [{"type": "text", "text": "Some frames."}, {"type": "video", "fps": 1.0}]}]
"""
TASK = """
doc_to_text: !function utils.to_text
lmms_eval_specific_kwargs:
  default:
    pre_prompt: "Never sent."
    post_prompt: "\\nOne
                  letter."
"""
FILES = {
    "intphys2": ("IntPhys2_transformers.py", PROGRAM),
    "mvp": ("tasks/mvp/_default_template_yaml", TASK),
    "causalvqa": ("tasks/_default_template_yaml", TASK),
}


def put_repository(slug, root, text=""):
    name, content = FILES[slug]
    (root / name).parent.mkdir(parents=True, exist_ok=True)
    (root / name).write_text(text or content)


def messages_sent(slug, strategy, split):
    """Item -> the messages that a server is sent for it: each one's role and texts, pictures by their type."""
    run = Run.objects.get(pk=run_of(slug, strategy, "always-yes", f"--split={split}")["run"])
    sent = {}
    for cell in run.cells.select_related("item"):
        dialogue = Dialogue(Asking(run).question(cell).request)
        sent[cell.item] = conversation(messages(dialogue, ServerOptions("http://127.0.0.1/v1", "any", times=False)))
    return sent


def conversation(sent):
    """(role, contents) of each message; pictures that follow each other are one."""
    found = []
    for message in sent:
        parts = message["content"] if isinstance(message["content"], list) else [{"text": message["content"]}]
        words = [part.get("text", part.get("type")) for part in parts]
        found.append((message["role"], [word for word, _ in groupby(words)]))
    return found


IN_TURN = [("system", ["Could it be? 1 or 0"]), ("user", ["Some frames.", "image_url"])]
OF_MVP = "Question: Which falls?\nOption:\n(A) The red one\n(B) The blue one\nOne letter."
OF_CAUSALVQA = "Question:What comes next?\nOption:\n(A) It stays\n(B) It falls down\n\nOne letter."


@pytest.mark.parametrize(
    ("slug", "strategy", "split", "sent"),
    [
        ("intphys2", "intphys2-prompt2", "main", IN_TURN),
        ("mvp", "mvp-prompt", "mini", [("user", ["image_url", OF_MVP])]),
        ("causalvqa", "causalvqa-prompt", "debug", [("user", ["image_url", OF_CAUSALVQA])]),
    ],
)
def test_prompts_of_a_repository_are_sent_as_its_program_sends_them(request, visitor, slug, strategy, split, sent):
    root = request.getfixturevalue(slug)
    say("import_benchmark", slug, root)  # first without the repository, which may come later and go again
    put_repository(slug, root)
    say("import_benchmark", slug, root)
    (root / FILES[slug][0]).unlink()
    say("import_benchmark", slug, root)
    assert sent in messages_sent(slug, strategy, split).values()
    system = [words[0] for role, words in sent if role == "system"]
    response = Run.objects.latest("pk").cells.first().response
    assert [turn["text"] for turn in response.turns if turn["role"] == "system"] == system
    page = visitor.get(response.cell.item.get_absolute_url()).content.decode()
    assert all(words in page for words in system)


@pytest.mark.parametrize(
    ("slug", "text", "mistake"),
    [
        ("intphys2", PROGRAM.replace("prompt3", "prompt4"), "lacks prompt1, prompt2, prompt3"),
        ("intphys2", "prompt1 = (", "is no Python"),
        ("mvp", TASK.replace("post_", "last_"), "lacks lmms_eval_specific_kwargs.default.post_prompt"),
        ("causalvqa", "a: [", "lacks lmms_eval_specific_kwargs.default.post_prompt"),
    ],
)
def test_a_repository_without_its_prompts_is_named(request, slug, text, mistake):
    root = request.getfixturevalue(slug)
    put_repository(slug, root, text)
    with pytest.raises(CommandError, match=mistake):
        say("import_benchmark", slug, root)


# --- Official readings against ours ---

READINGS = [
    ("intphys2-official", "I don't know.", "no", None),
    ("intphys2-official", "No, and yes is what others say.", "yes", None),
    ("intphys2-official", "YES", None, "yes"),
    ("intphys2-official", "It is not possible: No", "no", None),
    ("intphys2-digits", "0, not 1", "yes", None),
    ("intphys2-digits", "0.", "no", None),
    ("mvp-official", "A ball falls, so the answer is B.", "b", "b"),
    ("mvp-official", "Answer: A", "a", "a"),
    ("mvp-official", "I see a dog", "a", None),
    ("causalvqa-official", "B. It is a fall.", "a", "b"),
    ("causalvqa-official", "Your answer: C", "c", "c"),
]


def context(parser):
    options = {"intphys2": ("yes", "no"), "mvp": ("a", "b")}.get(parser.partition("-")[0], tuple("abcde"))
    return ParserContext("any", options=options)


@pytest.mark.parametrize(("parser", "reply", "official", "ours"), READINGS)
def test_official_readings_and_ours(parser, reply, official, ours):
    asked = context(parser)
    assert PARSERS[parser].read(reply, asked).answer == official
    assert PARSERS["one-option"].read(reply, asked).answer == ours


def replies_to(options, seed=0):
    """A thousand realistic replies: bare, in sentences, with articles, denials and refusals."""
    lot = random.Random(seed)
    forms = ["{0}", "{0}.", "({0})", "Answer: {0}", "The answer is {0}", "**{0}**", "{0}, because a ball falls."]
    forms += ["I don't know.", "It is not {0}.", "A ball rolls; the answer is {0}.", "Either {0} or {1}.", ""]
    forms += ["I can't tell.", "{0}\n\nNow the ball is a still one."]
    for _ in range(1000):
        first, second = lot.sample(options, 2)
        words = (lot.choice((str.upper, str.capitalize))(option) for option in (first, second))
        yield lot.choice(forms).format(*words), first


@pytest.mark.parametrize(
    ("parser", "least", "most"),
    [("intphys2-official", 400, 600), ("mvp-official", 150, 600), ("causalvqa-official", 150, 600)],
)
def test_differences_on_a_thousand_replies_are_counted(parser, least, most):
    asked, apart, wrong = context(parser), 0, 0
    for reply, meant in replies_to(list(asked.options)):
        official, ours = PARSERS[parser].read(reply, asked).answer, PARSERS["one-option"].read(reply, asked).answer
        apart += official != ours
        wrong += ours is not None and ours != meant
    assert least <= apart <= most
    assert wrong == 0, "ours never reads another answer than was meant"
