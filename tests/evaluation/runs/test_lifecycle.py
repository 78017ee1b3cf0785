"""A run is validated before it is stored, processed by any number of workers, and ends with a reason."""

import pytest

from evaluation.errors import ModelOverloaded, RunMisused
from evaluation.models import Cell, Model, ModelResponse, Reading, Run, Score, Shard
from evaluation.queue.shards import add_cells
from evaluation.runs.add_model import ensure_heuristics
from evaluation.runs.lifecycle import cancel_run, resume_run, start_run
from evaluation.workers.loop import sweep, work_on
from tests.factories import make_item, make_model

pytestmark = pytest.mark.django_db


def scripted(**options) -> Model:
    return make_model(kind="scripted", options=options)


def start(pack, model: Model | None = None, **values) -> Run:
    return start_run(**{"model": model or scripted(), "pack": pack, "strategy": "binary", **values})


def worked(run: Run) -> Run:
    work_on(run.pk)
    run.refresh_from_db()
    return run


def answered(run: Run) -> dict[str, str]:
    return dict(ModelResponse.objects.filter(cell__run=run).values_list("cell__item__public_id", "raw"))


def test_a_run_is_answered_read_and_scored(pack, make_filmed):
    make_filmed(2)
    run = start(pack, scripted(default="Yes, {frames} frames."))
    assert (run.state, run.sampler, run.condition, run.split) == ("queued", "uniform-8", "video", "all")
    assert (run.parser, run.parser_version, run.seeds) == ("grasp-paper", "2", [0])
    worked(run)
    assert (run.state, run.reason) == ("finished", "")
    assert set(answered(run).values()) == {"Yes, 8 frames."}
    assert sorted(Score.objects.of_run(run).values_list("value", flat=True)) == [0.0, 0.0, 1.0, 1.0]
    response = ModelResponse.objects.earliest("pk")
    shown = {"frames": 8, "hash": response.turns[0]["hash"], "item": response.cell.item.draw_key}
    assert response.turns == [
        {"role": "user", "text": response.cell.item.text, **shown},
        {"role": "model", "text": "Yes, 8 frames."},
    ]
    assert (response.frame_indices[0], response.frame_indices[-1]) == (0, 19)


def test_a_message_goes_out_after_the_run_is_written_and_a_queue_that_is_away_loses_no_run(
    pack, make_filmed, queue, monkeypatch, django_capture_on_commit_callbacks
):
    make_filmed(1)
    with django_capture_on_commit_callbacks(execute=True):
        run = start(pack)
        assert queue == []
    assert queue == [("evaluation.tasks.work_on_run", run.pk)]

    def away(*args, **options):
        raise OSError("connection refused")

    with monkeypatch.context() as patch:
        patch.setattr("celery.current_app.send_task", away)
        with django_capture_on_commit_callbacks(execute=True):
            lost = start(pack)
    assert sweep() == [run.pk, lost.pk]


REFUSED = [
    ({"strategy": "guess"}, "no strategy 'guess' of grasp; there is: binary, binary-cot"),
    ({"condition": "smell"}, "no condition 'smell' for binary; there is: video"),
    ({"condition": "text"}, "no condition 'text' for binary"),
    ({"split": "train"}, "no split 'train' for binary; there is: all, paper, human"),
    ({"parser": "psychic"}, "no parser 'psychic'; there is: grasp-paper, grasp-official"),
    ({"sampler": "best-8"}, "unknown sampler 'best-8': there are uniform-N"),
    ({"condition": "first-frame", "sampler": "uniform-4"}, "has its own sampler"),
    ({"seeds": ()}, "seeds"),
    ({"seeds": (1, 1)}, "seeds 1, 1: different"),
    ({"limit": 0}, "limit 0"),
    ({"sampling": {"heat": 1}}, "no sampling setting 'heat'; there is: temperature"),
    ({"sampling": {"temperature": -1}}, "temperature -1"),
    ({"only": {"smell": ["rose"]}}, "no facet 'smell'"),
    ({"only": {"test": ["Colour"]}}, "no test 'Colour' in grasp/small; there is: Color"),
    ({"strategy": "open"}, "no open questions for open in the split all"),
    ({"strategy": "text", "condition": "video"}, "no condition 'video' for text; there is: text"),
]


def test_what_there_is_not_is_refused_by_name_and_nothing_is_written(pack, make_filmed):
    make_filmed(1)
    for given, message in REFUSED:
        with pytest.raises(RunMisused, match=message):
            start(pack, **given)
    with pytest.raises(RunMisused, match="can't be asked here"):
        start(pack, make_model(kind="uploaded"))
    assert not Run.objects.exists()


def test_shards_hold_64_cells_in_the_order_of_ids(pack):
    for _ in range(20):
        make_item(pack)
    run = start(pack, condition="question-only", seeds=(0, 1, 2, 3, 4))
    assert [shard.cells.count() for shard in run.shards.all()] == [64, 36]
    ids = list(run.cells.order_by("pk").values_list("item__public_id", "seed"))
    assert ids == sorted(ids)


def test_later_cells_come_in_shards_of_their_own_after_the_others(pack, monkeypatch):
    for name in ("CELLS_A_SHARD", "SHARDS_AT_ONCE"):
        monkeypatch.setattr(f"evaluation.queue.shards.{name}", 2)
    items = [make_item(pack) for _ in range(5)]
    run = start(pack, condition="question-only")
    add_cells(run, [(item.pk, 1) for item in items])
    shards = [(shard.number, shard.cells.count()) for shard in run.shards.order_by("number")]
    assert shards == [(0, 2), (1, 2), (2, 1), (3, 2), (4, 2), (5, 1)]


def test_limit_and_facets_narrow_a_run_and_keep_it_off_the_board(pack, make_filmed):
    make_filmed(2)
    run = worked(start(pack, only={"polarity": ["negative"]}, limit=1))
    assert [cell.item.variant for cell in run.cells.all()] == ["false"]
    assert not Run.objects.on_the_board().exists()


def test_text_questions_are_asked_in_words(pack):
    make_item(pack, kind="text", variant="official", facets={"split": ("official",), "level": ("2",)})
    run = worked(start_run(model=scripted(), pack=pack, strategy="text"))
    assert (run.state, run.condition, run.split, run.sampler) == ("finished", "text", "official", "")


@pytest.mark.requirement("M11")
@pytest.mark.requirement("M12")
def test_a_bad_clip_is_one_item_error_and_such_a_run_is_not_listed(pack, make_filmed, settings):
    items = make_filmed(3)
    (settings.MEDIA_ROOT / "clips" / items[0].clip.renditions.get().name).write_bytes(b"not a video")
    run = worked(start(pack))
    assert run.state == "failed"
    assert f"2 of 6 questions could not be asked; the first is {items[0]}: the clip can't be opened" in run.reason
    assert len(answered(run)) == 4
    assert not Run.objects.on_the_board().exists()


def test_a_busy_model_gives_the_work_back_without_counting_it(pack, make_filmed):
    make_filmed(1)
    run = start(pack, scripted(busy="rate limit"))
    for _ in range(5):
        with pytest.raises(ModelOverloaded):
            work_on(run.pk)
    shard = Shard.objects.get()
    assert (shard.state, shard.attempts) == ("open", 0)
    run.refresh_from_db()
    assert (run.state, run.code, run.reason) == ("running", "model-busy", "the model asks to wait: rate limit")


def test_a_reply_that_the_model_could_not_give_is_an_error_of_its_item_and_is_asked_again(pack, make_filmed):
    items = make_filmed(2)
    model = scripted(errors={items[0].public_id: "too long"})
    run = worked(start(pack, model))
    assert (run.state, len(answered(run))) == ("failed", 3)
    assert "too long" in run.reason
    before = dict(ModelResponse.objects.values_list("cell", "pk"))
    Model.objects.filter(pk=model.pk).update(options={})
    run.refresh_from_db()
    assert resume_run(run=run) == 1
    worked(run)
    assert (run.state, run.reason, len(answered(run))) == ("finished", "", 4)
    assert before.items() <= dict(ModelResponse.objects.values_list("cell", "pk")).items()


def test_a_cancelled_run_stops_and_can_go_on_and_a_finished_one_has_nothing_to_resume(pack, make_filmed):
    make_filmed(1)
    run = start(pack)
    assert cancel_run(run=run)
    assert not cancel_run(run=run)
    work_on(run.pk)
    assert (run.state, answered(run)) == ("cancelled", {})
    assert resume_run(run=run) == 2
    for _ in range(3):
        worked(run)
        assert (run.state, resume_run(run=run)) == ("finished", 0)
        assert (Cell.objects.count(), ModelResponse.objects.count(), Reading.objects.count()) == (2, 2, 2)


def test_random_answers_hang_on_seed_and_item_alone(pack):
    for _ in range(40):
        make_item(pack)
    *_, model = ensure_heuristics()
    runs = []
    for seeds in ((0, 1), (1,)):
        run = worked(start(pack, model, condition="question-only", seeds=seeds))
        responses = ModelResponse.objects.filter(cell__run=run).values_list("cell__item_id", "cell__seed", "raw")
        runs.append({(item, seed): raw for item, seed, raw in responses})
    assert runs[1].items() <= runs[0].items()
    assert set(runs[0].values()) == {"yes", "no"}
    assert any(runs[0][item, 0] != runs[0][item, 1] for item, _ in runs[1])


def test_open_questions_get_one_of_their_labels(pack):
    for _ in range(12):
        make_item(pack, kind="open", variant="", options=["red", "green"], expected="red")
    *_, model = ensure_heuristics()
    run = worked(start_run(model=model, pack=pack, strategy="open", condition="question-only"))
    assert set(answered(run).values()) == {"red", "green"}
