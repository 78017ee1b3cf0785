"""Adding a model: by command, or in the administration if it is on a server."""

import json
import sys
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import call_command
from django.urls import reverse
from safetensors.torch import load_file, save_file

from benchmarks.commands import CallerMistake
from evaluation.models import Model, ModelResponse
from evaluation.runs.lifecycle import start_run
from evaluation.workers.loop import work
from tests.evaluation import tiny_families, tiny_hearing
from tests.evaluation.fault_server import fine, serving
from tests.factories import make_item

pytestmark = pytest.mark.django_db
SERVER = {"base_url": "http://127.0.0.1:9/v1", "model": "qwen3-vl"}
KEY = "sk-abcdefghijklmnop0123"


def add(slug: str, kind: str, *options: str, **how) -> dict:
    return added(slug, kind=kind, option=list(options), **how)


def added(*arguments: str, **how) -> dict:
    out = StringIO()
    call_command("add_model", *arguments, as_json=True, stdout=out, **how)
    return json.loads(out.getvalue())


def as_options(values: dict) -> list[str]:
    return [f"{name}={value}" for name, value in values.items()]


def test_a_server_is_added_and_asked(pack):
    make_item(pack), make_item(pack)
    with serving(fine("Yes")) as server:
        options = {"base_url": server.base_url, "model": "tiny", "concurrency": 2, "extra": {"top_p": 0.9}}
        given = [f"base_url={server.base_url}", "model=tiny", "concurrency=2", 'extra={"top_p": 0.9}']
        facts = add("tiny-vl", "openai", *given, name="Tiny VL", revision="1")
        assert facts == {"model": "tiny-vl", "kind": "openai", "changed": True, "options": options}
        model = Model.objects.get(slug="tiny-vl")
        run = start_run(model=model, pack=pack, strategy="binary", condition="question-only")
        work()
    run.refresh_from_db()
    assert (run.state, run.revision, model.name) == ("finished", "1", "Tiny VL")
    assert server.seen[0].body["top_p"] == 0.9
    facts = add("program", "command", f'program=["{sys.executable}", "answer.py"]', "at_once=4")
    assert facts["options"] == {"program": [sys.executable, "answer.py"], "at_once": 4}


def test_the_same_again_changes_nothing_and_what_was_asked_stays(pack):
    make_item(pack)
    other = as_options(SERVER | {"model": "qwen4-vl"})
    assert add("vl", "openai", *as_options(SERVER))["changed"]
    assert not add("vl", "openai", *as_options(SERVER))["changed"]
    assert add("vl", "openai", *other)["changed"]  # without runs: a mistake can be corrected
    run = start_run(model=Model.objects.get(), pack=pack, strategy="binary", condition="question-only")
    assert add("vl", "openai", *as_options(SERVER))["changed"]  # a run without replies: the address may be wrong
    assert add("vl", "openai", *other)["changed"]
    ModelResponse.objects.create(cell=run.cells.get(), raw="Yes")
    with pytest.raises(CallerMistake, match="vl has replied with other options under this revision"):
        add("vl", "openai", *as_options(SERVER))
    assert add("vl", "openai", *as_options(SERVER), revision="2")["changed"]
    assert Model.objects.get().options == SERVER


MISTAKES = [
    ("Bad Slug", "openai", as_options(SERVER), "slug 'Bad Slug': small letters, digits and single hyphens"),
    ("vl", "psychic", [], "there is no kind 'psychic'; there is: always-yes"),
    ("vl", "openai", ["model=x"], "openai: option base_url is missing"),
    ("vl", "openai", ["model=x", "base_url=localhost"], "openai: option base_url: an address such as"),
    ("vl", "openai", [*as_options(SERVER), f"key_variable={KEY}"], "looks like a key: options are stored"),
    ("vl", "openai", [*as_options(SERVER), "timeout=soon"], "openai: option timeout 'soon': a number"),
    ("vl", "command", ["program=/nowhere"], "command: option program: there is no program '/nowhere'"),
    ("vl", "similarity", ["path=/nowhere"], "similarity: /nowhere: no saved model here"),
    ("vl", "transformers", ["path=/nowhere"], "transformers: /nowhere: no saved model here"),
    ("vl", "transformers", ["path=x", "paht=y"], "transformers: there is no option 'paht'; there are path, batch_size"),
    ("vl", "transformers", [], "transformers: option path is missing"),
    ("vl", "random", ["seed=1"], "random: "),
    ("vl", "openai", ["model"], "--option 'model': write NAME=VALUE, for example model=qwen3-vl"),
    ("vl", "openai", ["model=a", "model=b"], "--option model is given twice"),
]


def test_mistakes_are_one_line_and_nothing_is_written():
    for slug, kind, options, words in MISTAKES:
        with pytest.raises(CallerMistake) as error:
            add(slug, kind, *options)
        assert words in str(error.value)
        assert "\n" not in str(error.value)
        assert error.value.returncode == 2
    assert not Model.objects.exists()


def test_staff_add_a_server_with_a_browser_and_nothing_that_runs_here(staff):
    url = reverse("admin:evaluation_model_add")
    page = staff.get(url).content.decode()
    assert "http://127.0.0.1:8000/v1" in page
    assert 'name="kind"' not in page
    form = {"slug": "hosted", "name": "Hosted", "revision": "2026-11", "kind": "command"}
    for options, words in (
        ({"model": "x"}, "option base_url is missing"),
        ({"program": "sh"}, "there is no option &#x27;program&#x27;"),
        ([], "an object of option names and values"),
    ):
        answer = staff.post(url, form | {"options": json.dumps(options)})
        assert words in answer.content.decode()
        assert not Model.objects.exists()
    answer = staff.post(url, form | {"options": json.dumps(SERVER | {"key_variable": ""})})
    assert answer.status_code == 302
    model = Model.objects.get()
    assert (model.slug, model.kind, model.options, model.revision) == ("hosted", "openai", SERVER, "2026-11")
    change = reverse("admin:evaluation_model_change", args=[model.pk])
    staff.post(change, {"name": "Renamed", "card": "{}", "options": '{"model": "other"}', "kind": "command"})
    model.refresh_from_db()
    assert (model.name, model.kind, model.options) == ("Renamed", "openai", SERVER)


# --- a saved model by its path ---


def folder_named(settings, name: str, build) -> str:
    build(settings.VAR_DIR / "models" / name)
    return f"models/{name}"


def test_a_folder_is_added_by_its_path_and_says_what_it_takes(settings):
    place = folder_named(settings, "Qwen2.5_Omni-3B", tiny_hearing.qwen2_5_omni)
    facts = added(place)
    model = Model.objects.get()
    assert (model.slug, model.kind, model.options) == ("qwen2-5-omni-3b", "transformers", {"path": place})
    assert (facts["clips"], facts["times"], facts["sound"]) == ("video", "as positions", "sound between the frames")
    assert {"video", "audio", "audio-only"} <= set(facts["conditions"])
    assert facts["trial"]["reply"]
    assert not added(place)["changed"]
    out = StringIO()
    call_command("add_model", place, "--slug", "other", stdout=out)
    assert "takes clips as video, sound between the frames" in out.getvalue()
    assert "conditions: question-only, video" in out.getvalue()


def test_a_model_that_only_reads_says_so(settings):
    facts = added(folder_named(settings, "words", tiny_families.text_alone))
    assert (facts["clips"], facts["sound"], facts["conditions"]) == ("", "", ["question-only"])


def silenced(folder: Path) -> None:
    """All scores are equal, so the reply is only the first special token."""
    change_head(folder, lambda weights, head: weights[head].zero_())


def maimed(folder: Path) -> None:
    change_head(folder, lambda weights, head: weights.pop(head))


def change_head(folder: Path, change) -> None:
    weights = load_file(folder / "model.safetensors")
    change(weights, next(name for name in weights if name.endswith("lm_head.weight")))
    save_file(weights, folder / "model.safetensors", metadata={"format": "pt"})


@pytest.mark.parametrize(
    ("spoil", "said"),
    [
        (silenced, "the model says nothing: 16 tokens in reply to its first question"),
        (maimed, "the weights lack 1 of the model's tensors, such as lm_head"),
        (lambda folder: (folder / "config.json").unlink(), "no saved model here, config.json is missing"),
        (lambda folder: (folder / "chat_template.jinja").unlink(), "has no chat template"),
        (lambda folder: [path.unlink() for path in folder.glob("*processor*")], "the folder has no processor"),
        (
            lambda folder: (folder / "chat_template.jinja").write_text("{{ raise_exception('only for experts') }}"),
            "refuses the conversation: only for experts",
        ),
    ],
)
def test_a_folder_that_cannot_be_asked_is_one_sentence_and_nothing_is_written(settings, capfd, spoil, said):
    place = folder_named(settings, "llava", tiny_families.llava)
    spoil(settings.VAR_DIR / place)
    with pytest.raises(CallerMistake, match=said) as refused:
        added(place)
    assert "\n" not in str(refused.value)
    assert not Model.objects.exists()
    assert "REPORT" not in "".join(capfd.readouterr())  # the library's own table of missing weights


def test_an_option_of_another_kind_or_a_slug_without_one_is_named_before_anything_is_opened(settings):
    place = folder_named(settings, "words", tiny_families.text_alone)
    with pytest.raises(CallerMistake, match="there is no option 'price_in'; there are path, batch_size"):
        added(place, option=["price_in=1"])
    with pytest.raises(CallerMistake, match="give --kind for my-model, or the path"):
        added("my-model")
    assert not Model.objects.exists()
