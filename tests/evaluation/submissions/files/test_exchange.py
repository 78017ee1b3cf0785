"""Samples of other harnesses become the same submission as our own lines; each refused sample is named."""

import csv
import io
import json
import zipfile
from functools import partial
from unicodedata import normalize

import pytest
import zstandard

from evaluation.adapters.base import MOST_THINKING
from evaluation.submissions.lint.check import lint
from tests.evaluation.submissions.uploads import header, items_of, json_lines, upload, workbook

pytestmark = pytest.mark.django_db


def eee(item, reply, **more):
    sample = {"schema_version": "0.3.0", "evaluation_id": "e", "model_id": "m/m", "evaluation_name": "GRASP"}
    return sample | {"sample_id": item, "interaction_type": "single_turn", "output": {"raw": [reply]}} | more


def lmms(item, *replies, **more):
    """A line as lm-eval writes it; lmms-eval leaves out `doc`, and `resps` where the filter changed nothing."""
    sample = {"doc_id": 7, "doc": {"id": item}, "target": "yes", "resps": [list(replies)], "filtered_resps": ["x"]}
    return sample | more


def inspected(item, reply, epoch=1, **more):
    content = [{"type": "reasoning", "reasoning": "Hm.", "redacted": False}]
    content += [{"type": "text", "text": reply}] if reply is not None else []
    choice = {"message": {"role": "assistant", "content": content if reply else reply}, "stop_reason": "stop"}
    return {"id": item, "epoch": epoch, "input": "?", "output": {"model": "m", "choices": [choice]}, **more}


def kit(item, reply):
    """A row of VLMEvalKit's table of predictions."""
    return {"index": 3, "id": item, "question": "Is it\nred?", "answer": "yes", "prediction": reply}


def kit_table(*rows, separator=","):
    file = io.StringIO()
    table = csv.DictWriter(file, list(rows[0]), delimiter=separator, quoting=csv.QUOTE_ALL)
    table.writeheader()
    table.writerows(rows)
    return file.getvalue().encode()


def kit_workbook(*rows):
    return workbook([tuple(rows[0]), *(row.values() for row in rows)])


def one_document(*samples):
    """A log of inspect as one JSON document."""
    head = {"version": 2, "status": "success", "eval": {"task": "grasp", "model": "m"}}
    return json.dumps(head | {"samples": samples}, indent=2).encode()


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
    "lm-eval": (lmms, lambda *rows: json_lines(*rows)),
    "inspect": (inspected, zstd_log),
    "inspect, before": (inspected, log),
    "inspect, one document": (inspected, one_document),
    "VLMEvalKit, json": (kit, lambda *rows: json.dumps(rows, indent=4).encode()),
    "VLMEvalKit, xlsx": (kit, kit_workbook),
    "VLMEvalKit, tsv": (kit, partial(kit_table, separator="\t")),
    "VLMEvalKit, csv": (kit, kit_table),
}
WITHOUT_NULL = {form for form in FORMS if form.startswith("VLMEvalKit, ") and form != "VLMEvalKit, json"}


def report_on(pack, sample, packed=json_lines, **fields):
    """The report on one sample for each item, made by this function of the item."""
    return lint(upload(packed(*map(sample, items_of(pack)))), header(pack, **fields))


@pytest.mark.parametrize("form", FORMS)
def test_samples_are_replies_to_the_items_that_they_name_and_a_refused_one_is_named(pack, form):
    sample, packed = FORMS[form]
    for name in (lambda item: item.public_id, lambda item: f"{item.key}|{item.kind}|{item.variant}"):
        report = report_on(pack, lambda item, name=name: sample(name(item), "Yes."), packed)
        assert (report.problems, report.kind, report.rows, report.score) == ([], "reply", 4, 0.5)
    if form in WITHOUT_NULL:
        return
    first, second, *rest = (item.public_id for item in items_of(pack))
    rows = [
        sample(first, "Yes."),
        sample("nowhere", "No."),
        sample(second, None),
        *(sample(one, "No.") for one in rest),
    ]
    report = lint(upload(packed(*rows)), header(pack))
    assert {("unknown-item", "nowhere"), ("value", second)} <= {(one.code, one.item) for one in report.problems}
    assert report.rows == 3


def test_every_repeat_generation_and_epoch_has_its_seed(pack):
    ids, said = [item.public_id for item in items_of(pack)], ["Yes.", "No.", "No."]
    twice = [(one, epoch) for epoch in (1, 2) for one in ids]
    turns = [{"turn_idx": 0, "role": "user", "content": "?"}, {"turn_idx": 1, "role": "assistant", "content": "No."}]
    talk = {"output": None, "messages": turns, "metadata": {"seed": "3"}, "interaction_type": "multi_turn"}
    files = {
        "repeats": (0, 1, 2, [lmms(one, resps=said) for one in ids]),
        "of one request": (0, 1, 2, [lmms(one, resps=[said]) for one in ids]),
        "of three requests": (0, 1, 2, [lmms(one, resps=[[each] for each in said]) for one in ids]),
        "generations": (0, 1, 2, [eee(one, "", output={"raw": said}) for one in ids]),
        "epochs": (0, 1, [eee(one, "Yes.", metadata={"epoch": str(epoch)}) for one, epoch in twice]),
        "unnamed epochs": (0, 1, [eee(one, "Yes.") for one, _ in twice]),
        "epochs of inspect": (0, 1, [inspected(one, "Yes.", epoch) for one, epoch in twice]),
        "a named seed": (3, [eee(one, "", **talk) for one in ids]),
    }
    for name, (*seeds, rows) in files.items():
        report = lint(upload(log(*rows) if "inspect" in name else json_lines(*rows)), header(pack))
        outcome = (report.problems, list(report.seeds), report.rows, report.score)
        assert outcome == ([], seeds, 4 * len(seeds), 0.5), name


def test_the_first_of_several_filters_is_read_and_named(pack):
    names = ("strict-match", "flexible-extract")
    rows = [
        lmms(item.public_id, "Yes.", filter=name, filtered_resps=[name]) for item in items_of(pack) for name in names
    ]
    report = lint(upload(json_lines(*rows)), header(pack))
    assert (report.problems, report.seeds, report.rows, report.score) == ([], (0,), 4, 0.5)
    assert "strict-match, flexible-extract" in report.notes[0]


NO_CHOICE: dict = {"output": {"choices": []}}
PACKED = {lmms: json_lines, eee: json_lines, inspected: log, kit: kit_workbook}


@pytest.mark.parametrize(
    ("kind", "fields", "words"),
    [
        (lmms, {"resps": [[["-0.898", "True"]], [["-1.2", "False"]]]}, "log-likelihoods"),
        (lmms, {"resps": [[[-0.898, True]], [[-1.2, False]]]}, "log-likelihoods"),
        (lmms, {"resps": [], "filtered_resps": []}, "has no reply"),
        (eee, {"output": {"raw": [7]}}, "has no reply"),
        (eee, {"error": {"message": "timed out"}}, "holds an error: timed out"),
        (inspected, {"error": {"message": "RateLimitError", "traceback": "…"}}, "holds an error"),
        (inspected, {"output": {"choices": [], "error": "no capacity"}}, "holds an error"),
        (inspected, NO_CHOICE | {"error": {"message": "503 from the server"}}, "503 from the server"),
        (inspected, NO_CHOICE | {"limit": {"type": "time"}}, "its limit (time)"),
        (kit, {"prediction": "Failed to obtain answer via API."}, "the request to the model failed"),
    ],
)
def test_what_is_no_reply_is_never_an_answer(pack, kind, fields, words):
    good = [kind(item.public_id, "Yes.") for item in items_of(pack)[1:]]
    report = lint(upload(PACKED[kind](kind("small0", "Yes.") | fields, *good)), header(pack))
    (problem,) = report.problems
    assert (problem.code, problem.item, report.rows) == ("value", "small0", 3)
    assert PACKED[kind] is not json_lines or problem.line == 1
    assert words in problem.what


def test_a_file_that_can_not_be_read_has_one_problem(pack):
    whole = zstd_log(inspected("small0", "Yes."))
    middle = whole.index(b"samples/0_epoch_1.json") + 60
    damaged = whole[:middle] + bytes(20) + whole[middle + 20 :]
    bomb = zstd_log(inspected("small0", "y" * 20_000_000))
    for file, code in ((damaged, "broken-archive"), (bomb, "too-much-inside"), (one_document(), "empty")):
        assert lint(upload(file), header(pack)).problems[0].code == code
    assert "samples of Every Eval Ever" in lint(upload(json_lines(eee("x", "yes")))).problems[0].what
    digits = json_lines(eee("small0", "yes", metadata={"seed": "9" * 5000}))
    problem = lint(upload(digits), header(pack)).problems[0]
    assert str(problem) == "line 1, item small0: the seed or epoch must be a whole number"


def likelihoods(item, *numbers, **more):
    """A multiple-choice sample of lm-eval: the numbers are written as text."""
    requests = {f"gen_args_{n}": {"arg_0": "?", "arg_1": f" {option}"} for n, option in enumerate(item.options)}
    pairs = [[[str(number), "False"]] for number in numbers]
    return {"doc_id": 1, "doc": {"id": item.public_id}, "arguments": requests, "resps": pairs} | more


def test_log_likelihoods_are_read_as_such(pack):
    def as_pairs(item):
        return likelihoods(item, -0.2, -1.8, arguments=[["?", f" {option}"] for option in item.options])

    for sample in (lambda item: likelihoods(item, -0.2, -1.8), as_pairs):
        report = report_on(pack, sample, strategy="binary-likelihood")
        assert (report.problems, report.kind, report.score) == ([], "log_probs", 0.5)


@pytest.mark.parametrize(
    ("more", "fields", "what"),
    [
        ({}, {}, "for a strategy by likelihood"),
        ({"arguments": None}, {"strategy": "binary-likelihood"}, "does not name them"),
        ({"resps": [[["nan", "False"]], [["-1", "False"]]]}, {"strategy": "binary-likelihood"}, "not a finite number"),
    ],
    ids=["replies are wanted", "no options", "no number"],
)
def test_log_likelihoods_that_fit_nothing_are_refused_by_name(pack, more, fields, what):
    report = report_on(pack, lambda item: likelihoods(item, -0.2, -1.8) | more, **fields)
    assert report.rows == 0
    assert what in report.problems[0].what


@pytest.mark.parametrize(
    "sample",
    [
        lambda item: eee(item.public_id, None, output={"raw": [], "reasoning_trace": ["Hm."]}),
        lambda item: inspected(item.public_id, "") | {"limit": {"type": "token", "limit": 5}},
    ],
    ids=["every-eval-ever", "inspect"],
)
def test_thoughts_alone_are_one_reply_that_was_cut_off(pack, sample):
    def thoughtful(item):
        made = sample(item)
        for choice in made["output"].get("choices", ()):
            choice["message"]["content"] = [{"type": "reasoning", "reasoning": "Hm.", "signature": "x"}]
        return made

    packed = json_lines if "sample_id" in thoughtful(items_of(pack)[0]) else log
    report = report_on(pack, thoughtful, packed)
    assert (report.problems, report.rows, report.unread) == ([], 4, 4)


@pytest.mark.parametrize("sample", [eee, lmms, inspected, kit])
@pytest.mark.parametrize("odd", [7, True, {"text": "Yes."}, [[{}]], "DEEP"])
def test_odd_values_anywhere_are_problems_and_never_raise(pack, sample, odd):
    deep = "[" * 600 + "]" * 600
    for field in sample("x", "Yes."):
        record = json.dumps(sample("small0", "Yes.") | {field: odd}).replace('"DEEP"', deep)
        packed = f"[{record}]" if sample is kit else record
        assert lint(upload(f"{packed}\n".encode()), header(pack)).problems


def test_nan_in_a_field_that_nobody_reads_is_no_mistake(pack):
    report = report_on(pack, lambda item: lmms(item.public_id, "Yes.", bleu=float("nan"), acc=float("inf")))
    assert (report.problems, report.score) == ([], 0.5)


def test_thoughts_may_be_as_long_as_those_of_runs(pack):
    long = "so " * MOST_THINKING
    report = report_on(pack, lambda item: {"item": item.public_id, "reply": "Yes.", "thoughts": long})
    table = "item,reply,thoughts\n" + "".join(f"{item.public_id},Yes.,{long}\n" for item in items_of(pack))
    assert report.problems == lint(upload(table.encode()), header(pack)).problems == []


@pytest.mark.parametrize("place", ["doc", "metric"])
def test_a_clip_is_named_by_its_file(pack, place):
    """lmms-eval leaves `doc` out, but what a metric says may name the clip."""

    def sample(item):
        clip = {"file_name": f"Main/{item.key}.mp4"}
        return lmms("", "Yes.") | ({"doc": clip} if place == "doc" else {"doc": None, "pair_accuracy": clip})

    assert report_on(pack, sample).problems == []


def test_a_place_in_a_data_set_names_no_item(pack):
    """lmms-eval's task of IntPhys 2: without `doc`, and its metric is a number; an item's own name may be one."""
    for number, item in enumerate(items_of(pack)):
        item.key = str(number)
        item.save(update_fields=["key"])
    report = report_on(pack, lambda item: {"doc_id": 0, "filtered_resps": ["Possible"], "intphys2_accuracy": 1.0})
    assert report.rows == 0
    assert "`doc_id` 0 names no item" in report.problems[0].what
    assert report_on(pack, lambda item: lmms(int(item.key), "Yes.", doc_id=int(item.key))).problems == []


@pytest.mark.parametrize("form", ["NFC", "NFD"])
def test_an_umlaut_is_the_same_in_either_spelling(pack, form):
    for number, item in enumerate(items_of(pack)):
        item.key = normalize("NFD" if form == "NFC" else "NFC", f"käse{number}")
        item.save(update_fields=["key"])
    rows = [{"item": normalize(form, f"käse{number}"), "answer": "yes"} for number in range(4)]
    assert lint(upload(json_lines(*rows)), header(pack)).problems == []
