"""Samples of other harnesses become the same submission as our own lines; each refused sample is named."""

import io
import json
import zipfile

import pytest
import zstandard

from evaluation.submissions.lint.check import lint
from tests.evaluation.submissions.uploads import header, items_of, json_lines, small_pack, upload

pytestmark = pytest.mark.django_db


@pytest.fixture
def pack():
    return small_pack()


def eee(item, reply, **more):
    return {
        "schema_version": "0.3.0",
        "evaluation_id": "e",
        "model_id": "m/m",
        "evaluation_name": "GRASP",
        "sample_id": item,
        "interaction_type": "single_turn",
        "output": {"raw": [reply]},
        **more,
    }


def lmms(item, reply):
    return {"doc_id": 7, "doc": {"id": item}, "target": "yes", "resps": [[reply]], "filtered_resps": [reply]}


def inspected(item, reply, epoch=1):
    content = [{"type": "reasoning", "text": "hm"}, {"type": "text", "text": reply}]
    return {"id": item, "epoch": epoch, "output": {"choices": [{"message": {"role": "assistant", "content": content}}]}}


def log(*samples, packing=zipfile.ZIP_DEFLATED, packed=str.encode):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", packing) as archive:
        archive.writestr("header.json", packed(json.dumps({"version": 2, "status": "success"})))
        archive.writestr("summaries.json", packed("[]"))
        for number, sample in enumerate(samples):
            archive.writestr(f"samples/{number}_epoch_{sample.get('epoch')}.json", packed(json.dumps(sample)))
    return file.getvalue()


def zstd_log(*samples):
    """A log as inspect writes it since 2026: zipfile lacks this compression, but its id is one number per file."""
    whole = log(*samples, packing=zipfile.ZIP_STORED, packed=lambda text: zstandard.compress(text.encode()))
    for sign, at in ((b"PK\x03\x04", 8), (b"PK\x01\x02", 10)):
        head, *files = whole.split(sign)
        whole = sign.join([head, *(each[: at - 4] + b"\x5d\x00" + each[at - 2 :] for each in files)])
    return whole


FORMS = {
    "every-eval-ever": (eee, lambda *rows: json_lines(*rows)),
    "lmms-eval": (lmms, lambda *rows: json_lines(*rows)),
    "inspect": (inspected, zstd_log),
    "inspect, before": (inspected, log),
}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("name", ["public_id", "official"])
def test_samples_are_replies_to_the_items_that_they_name(pack, form, name):
    sample, packed = FORMS[form]
    named = {
        item: item.public_id if name == "public_id" else f"{item.key}|{item.kind}|{item.variant}"
        for item in items_of(pack)
    }
    report = lint(upload(packed(*(sample(named[item], "Yes.") for item in items_of(pack)))), header(pack))
    assert report.problems == []
    assert (report.kind, report.rows, report.score) == ("reply", 4, 0.5)


@pytest.mark.parametrize("form", FORMS)
def test_every_refused_sample_is_named(pack, form):
    sample, packed = FORMS[form]
    first, second, *rest = (item.public_id for item in items_of(pack))
    rows = [
        sample(first, "Yes."),
        sample("nowhere", "No."),
        sample(second, None),
        *(sample(one, "No.") for one in rest),
    ]
    report = lint(upload(packed(*rows)), header(pack))
    found = {(one.code, one.item) for one in report.problems}
    assert {("unknown-item", "nowhere"), ("value", second)} <= found
    assert report.rows == 3


def test_epochs_of_inspect_are_seeds(pack):
    ids = [item.public_id for item in items_of(pack)]
    report = lint(upload(log(*(inspected(one, "Yes.", epoch) for one in ids for epoch in (1, 2)))), header(pack))
    assert (report.problems, report.seeds) == ([], (0, 1))


def test_a_damaged_log_is_refused_and_a_bomb_is_stopped(pack):
    item = items_of(pack)[0].public_id
    whole = zstd_log(inspected(item, "Yes."))
    middle = whole.index(b"samples/0_epoch_1.json") + 60
    damaged = whole[:middle] + bytes(20) + whole[middle + 20 :]
    bomb = zstd_log(inspected(item, "y" * 20_000_000))
    assert [lint(upload(file), header(pack)).problems[0].code for file in (damaged, bomb)] == [
        "broken-archive",
        "too-much-inside",
    ]


def test_without_a_header_it_is_said_which_fields_are_needed(pack):
    report = lint(upload(json_lines(eee("x", "yes"))))
    assert "samples of Every Eval Ever" in report.problems[0].what


def test_a_seed_with_more_digits_than_any_is_told(pack):
    (first, *_) = lint(upload(json_lines(eee("small0", "yes", metadata={"seed": "9" * 5000}))), header(pack)).problems
    assert str(first) == "line 1, item small0: the seed or epoch must be a whole number"


def test_turns_and_seeds_of_every_eval_ever(pack):
    turns = [{"turn_idx": 0, "role": "user", "content": "?"}, {"turn_idx": 1, "role": "assistant", "content": "No."}]
    rows = [
        eee(item.public_id, "", output=None, messages=turns, metadata={"seed": "3"}, interaction_type="multi_turn")
        for item in items_of(pack)
    ]
    report = lint(upload(json_lines(*rows)), header(pack))
    assert (report.problems, report.seeds, report.score) == ([], (3,), 0.5)
