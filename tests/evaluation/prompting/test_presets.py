"""The settings of the Giraffe paper's models: as printed, in a run, and in the requests to the model."""

from html import unescape

import pytest

from benchmarks.definitions.papers.giraffe import PRESETS
from benchmarks.definitions.registry import BENCHMARKS
from evaluation.adapters.base import REPLY, Request, Turn
from evaluation.adapters.conversation import Talk
from evaluation.adapters.dialogue import Dialogue
from evaluation.adapters.openai.messages import messages
from evaluation.adapters.openai.options import ServerOptions
from evaluation.models import Cell
from evaluation.prompting.presets import sampling_of
from evaluation.prompting.requests import Asking
from evaluation.runs.lifecycle import start_run
from tests.factories import make_item, make_model, make_pack, make_run


def test_presets_say_what_table_8_prints():
    table = next(table for table in BENCHMARKS["giraffe"].tables if table.name == "table-8")
    printed = {row.name.split(" (")[0]: row.cells for row in table.rows}
    kinds = {"images": "image", "video": "video"}
    assert {p.title: (kinds[p.query], str(p.temperature)) for p in PRESETS.values()} == printed
    assert {p.name: p.max_new_tokens for p in PRESETS.values() if p.max_new_tokens != 512} == {"minigpt-4": 150}
    rows = [row.name for row in next(t for t in BENCHMARKS["giraffe"].tables if t.name == "table-1").rows]
    assert sorted(name for p in PRESETS.values() for name in p.rows) == sorted(rows)


@pytest.mark.django_db
def test_a_run_keeps_its_preset_and_its_model_is_given_the_system_prompt():
    pack = make_pack(benchmark="giraffe")
    item = make_item(pack, kind="told", facets={"test": ("charades",), "level": ("2",)})
    make_model(slug="x")
    run = start_run(model=make_model(kind="scripted"), pack=pack, strategy="activity-text")
    assert "preset" not in run.sampling
    run.sampling = sampling_of("llava", "giraffe")
    assert run.sampling == {"temperature": 0.2, "max_new_tokens": 512, "preset": "llava"}
    request = Asking(run).question(Cell(run=run, item=item, seed=0)).request
    assert (request.system, request.template) == (PRESETS["llava"].system, PRESETS["llava"].template)
    assert (request.temperature, request.max_new_tokens) == (0.2, 512)


@pytest.mark.django_db
def test_the_page_of_a_run_says_what_of_its_preset_was_used(visitor):
    llava, pack = PRESETS["llava"], make_pack(benchmark="giraffe")
    how = "LLaVA: questions of images, temperature 0.2, at most 512 tokens"
    for kind, said in (
        ("transformers", "own chat template"),
        ("openai", "by the server"),
        ("command", "is told the paper"),
        ("scripted", "is not applied"),
    ):
        run = make_run(pack, model=make_model(kind=kind), sampling=sampling_of("llava", "giraffe"))
        page = unescape(visitor.get(run.get_absolute_url()).content.decode())
        assert not [line for line in (how, llava.system, llava.template, said) if line not in page]
        preset = visitor.get(run.get_absolute_url(), {"format": "json"}).json()["preset"]
        assert preset["input template of the paper"] == llava.template
        assert said in preset["laid out"]
    plain = make_run(pack)
    assert "Preset" not in visitor.get(plain.get_absolute_url()).content.decode()
    assert visitor.get(plain.get_absolute_url(), {"format": "json"}).json()["preset"] is None


def test_the_system_prompt_comes_first_and_takes_the_place_of_the_models_own():
    request = Request((Turn("What next?"), REPLY), system="Be brief.")
    options = ServerOptions(base_url="http://127.0.0.1", model="tiny", system="Be long.")
    said = messages(Dialogue(request), options)
    assert said == [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "What next?"}]
    assert [message["role"] for message in Talk.begun(request).messages()] == ["system", "user"]
