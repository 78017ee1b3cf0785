"""A half-written shard is resumed: nothing is stored twice and, without batches, nothing is asked twice."""

import pytest

from evaluation.adapters.heuristics import ScriptedModel
from evaluation.models import ModelResponse, Run
from evaluation.runs.lifecycle import start_run
from evaluation.workers.loop import work
from tests.factories import make_item, make_model

pytestmark = [pytest.mark.django_db, pytest.mark.requirement("M9")]


@pytest.fixture
def half(pack, monkeypatch) -> tuple[Run, list[str]]:
    """A run of six questions whose worker was killed at the fourth, and the list of later requests."""
    for _ in range(6):
        make_item(pack)
    model = make_model(kind="scripted", options={"default": "random"})
    run = start_run(model=model, pack=pack, strategy="binary", condition="question-only", sampling={"temperature": 0.7})
    reply, asked = ScriptedModel._reply, []

    def dies_in_the_fourth(self, request):
        asked.append(request.key)
        if len(asked) == 4:
            raise SystemExit("killed")
        return reply(self, request)

    monkeypatch.setattr(ScriptedModel, "_reply", dies_in_the_fourth)
    with pytest.raises(SystemExit):
        work()
    run.shards.update(lease_until="2000-01-01T00:00Z")
    asked[:] = [""] * 4
    return run, asked


def replies(run: Run) -> dict[str, tuple[int, str]]:
    rows = ModelResponse.objects.filter(cell__run=run).values_list("cell__item__public_id", "pk", "raw")
    return {item: (pk, raw) for item, pk, raw in rows}


def test_a_batch_is_asked_again_as_a_whole_and_what_was_written_stays(half):
    run, asked = half
    before = replies(run)
    work()
    run.refresh_from_db()
    assert (run.state, len(before), len(replies(run)), len(asked) - 4) == ("finished", 3, 6, 6)
    assert before.items() <= replies(run).items()


def test_a_model_that_answers_each_alone_is_asked_what_is_missing(half, monkeypatch):
    run, asked = half
    monkeypatch.setattr(ScriptedModel, "answers_alone", True, raising=False)
    missing = set(run.cells.filter(state="open").values_list("item__public_id", flat=True))
    work()
    run.refresh_from_db()
    assert (run.state, set(asked[4:]), len(asked) - 4) == ("finished", missing, 3)
