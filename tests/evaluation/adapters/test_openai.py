"""The adapter of OpenAI-compatible servers, against a real HTTP server with all kinds of faults."""

import base64
import io
import json
import logging
import re
import threading
import time
from contextlib import nullcontext
from email.utils import formatdate
from itertools import count
from pathlib import Path

import numpy as np
import pytest
from jsonschema import Draft202012Validator
from PIL import Image

from benchmarks.errors import StoreAway
from benchmarks.leasing import LeaseLost
from evaluation.adapters.base import REPLY, Audio, Frames, Request, Turn
from evaluation.adapters.openai import adapter, limits
from evaluation.adapters.openai.adapter import OpenAIModel
from evaluation.adapters.openai.responses import wanted_wait
from evaluation.adapters.registry import open_model
from evaluation.errors import ModelMisused, ModelOverloaded, RunMisused
from evaluation.models import Model, ModelResponse, Run
from evaluation.prompting.requests import Asking
from evaluation.runs.lifecycle import resume_run, retry_run, start_run
from evaluation.runs.results import result_of
from evaluation.workers.loop import work
from measures.scores.parsed_answers import CUT_OFF, EMPTY, REFUSED
from tests.evaluation import fault_server as faults
from tests.evaluation.fault_server import completion, echo, fine, one_after_the_other, raw, serving
from tests.factories import make_item, make_model
from tests.site import PATIENCE

SLOW = {faults.hangs: {"timeout": 1.5}, faults.drips: {"timeout": 1.5}}  # short, where all of it is used up
KEY = "sk-very-secret-0123"
VLLM = Path(__file__).resolve().parents[1] / "data" / "vllm_chat_request.schema.json"


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    """Waits between attempts in milliseconds."""
    monkeypatch.setattr(limits, "FIRST_WAIT", 0.004)


def opened(server, **options) -> OpenAIModel:
    return OpenAIModel(**{"base_url": server.base_url, "model": "tiny", "timeout": 60, "attempts": 3, **options})


def asked(text: str = "Is it red?", **values) -> Request:
    return Request((Turn(text), REPLY), **values)


def answered(act, *requests: Request, **options):
    """The replies or the error message, and the server with its requests."""
    with serving(act) as server:
        try:
            return list(opened(server, **options).answer(requests or [asked()])), server
        except (ModelOverloaded, ModelMisused) as error:
            return error, server


def clip(*values: int, indices=None) -> Frames:
    pixels = np.stack([np.full((8, 12, 3), value, np.uint8) for value in values])
    order = tuple(indices or range(len(values)))
    return Frames(pixels, order, tuple(place / 2 for place in order), "hash", 2.0, 2.0)


def test_what_is_sent_is_the_conversation_with_its_seed_and_limits():
    options = {"length_field": "max_completion_tokens", "extra": {"temperature": None, "top_p": 0.9}}
    request = asked(seed=2**40 + 7, temperature=0.7, max_new_tokens=9)
    (reply,), server = answered(fine("Yes."), request, system="Be brief.", **options)
    assert (reply.text, reply.turns, reply.ended, reply.error) == ("Yes.", ("Yes.",), "", "")
    (handler,) = server.seen
    assert handler.path == "/v1/chat/completions"
    assert handler.headers.get("Authorization") is None
    talk = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Is it red?"}]
    how = {"seed": 7, "max_completion_tokens": 9, "stream": False, "top_p": 0.9}
    assert handler.body == {"model": "tiny", "messages": talk, **how}


def test_the_model_hears_its_own_replies_and_turns_of_one_side_are_one_message():
    talk = Request((Turn("Look.", clip(0)), REPLY, Turn("Now think."), Turn("Is it red?"), REPLY))
    (reply,), server = answered(one_after_the_other(fine("A ball."), fine("No")), talk)
    assert (reply.text, reply.turns) == ("No", ("A ball.", "No"))
    first, second = (handler.body["messages"] for handler in server.seen)
    assert second[:1] == first
    assert second[1:] == [
        {"role": "assistant", "content": "A ball."},
        {"role": "user", "content": "Now think.\nIs it red?"},
    ]


def content_of(request: Request, **options) -> list[dict]:
    """The parts of the one message that is sent for this request."""
    _, server = answered(fine(), request, **options)
    return server.seen[0].body["messages"][0]["content"]


@pytest.mark.parametrize("form", ["png", "jpeg"])
def test_frames_are_images_with_their_times(form):
    content = content_of(Request((Turn("What?", clip(10, 200)), REPLY)), image_format=form)
    parts = [part.get("text", part["type"]) for part in content]
    assert parts == ["0.00 s", "image_url", "0.50 s", "image_url", "What?"]
    for part, grey in zip(content[1:4:2], (10, 200), strict=True):
        head, _, data = part["image_url"]["url"].partition(",")
        assert head == f"data:image/{form};base64"
        picture = np.asarray(Image.open(io.BytesIO(base64.b64decode(data))))
        assert picture.shape == (8, 12, 3)
        assert abs(picture.astype(int) - grey).max() <= (0 if form == "png" else 2)


def test_times_do_not_give_away_the_order_of_shuffled_frames():
    content = content_of(Request((Turn("?", clip(20, 0, 10, indices=(2, 0, 1))), REPLY)))
    assert [part["text"] for part in content if part["type"] == "text"] == ["0.00 s", "0.50 s", "1.00 s", "?"]


def test_frames_can_be_one_video_part_and_sound_goes_along():
    sound = Audio(np.array([0, 0.5, -0.5, 2.0], np.float32), 8000)
    video, audio, text = content_of(Request((Turn("?", clip(0, 1, 2), sound), REPLY)), frames_as="video")
    head, *pictures = video["video_url"]["url"].split(",")
    assert (head, len(pictures), text["text"]) == ("data:video/jpeg;base64", 3, "?")
    assert all(base64.b64decode(picture).startswith(b"\xff\xd8") for picture in pictures)
    assert base64.b64decode(audio["input_audio"]["data"]).startswith(b"RIFF")


def test_a_video_part_tells_the_times_of_its_frames_in_the_form_of_vllm():
    def told(*clips, **options):
        turns = (*(Turn("Look.", frames) for frames in clips), REPLY)
        _, server = answered(fine(), Request(turns), frames_as="video", **options)
        return server.seen[0].body.get("media_io_kwargs")

    later, other = clip(0, 1, indices=(3, 0)), clip(0, 1, 2)
    times = {"total_num_frames": 4, "fps": 2.0, "duration": 2.0, "frames_indices": [0, 3], "num_frames": 2}
    assert told(later) == {"video": times}
    assert told(later, later) == {"video": times}
    assert told(later, other) is None  # one field for all videos of a request
    assert told(later, times=False) is None
    assert told(later, extra={"media_io_kwargs": None}) is None


def test_requests_of_every_kind_fit_the_published_schema_of_vllm():
    own = {"choice_as": "structured_outputs", "thinking_as": "template", "thinking_tokens": 9, "system": "Be brief."}
    sound = Audio(np.zeros(800, np.float32), 16000)
    settings = ({"temperature": 0.7, "seed": 2**47}, {"constrained": True}, {"thinking": False}, {"thinking": 32})
    requests = [asked(options=("no", "yes"), **each) for each in settings]
    talk = Request((Turn("Look.", clip(0, 1, 2)), REPLY, Turn("And now?", clip(0, 1, 2), sound), REPLY))
    _, server = answered(fine("yes"), *requests, talk, frames_as="video", **own)
    check = Draft202012Validator(json.loads(VLLM.read_text()))
    assert [[each.message for each in check.iter_errors(one.body)] for one in server.seen] == [[]] * 6
    assert not check.is_valid({**server.seen[0].body, "guided_choice": ["yes"]})  # a field of an earlier version


def uncounted(text, finish="stop", **usage) -> dict:
    """A completion of which the server counted no token."""
    return {**completion(text, finish), "usage": {"prompt_tokens": 100, "completion_tokens": 0, **usage}}


def with_error(error, text="", finish="stop") -> dict:
    """A completion with an error inside its choice."""
    reply = completion(text, finish)
    reply["choices"][0]["error"] = error
    return reply


ENDED = [
    (completion("Well, I", "length"), "Well, I", CUT_OFF),
    (completion(None, "length"), "", CUT_OFF),
    (completion(None, "content_filter"), "", REFUSED),
    (completion(None, refusal="I can't."), "I can't.", REFUSED),
    (completion([{"type": "text", "text": "ye"}, {"type": "text", "text": "s"}]), "yes", ""),
    (completion(""), "", EMPTY),
    (completion(None), "", EMPTY),  # said nothing: a result
    ({**completion(None), "usage": None}, "", EMPTY),
    (completion("Yes", None), "Yes", ""),
    (completion("Yes", "eos_token"), "Yes", ""),
    (completion("Yes", "STOP"), "Yes", ""),
    (completion(None, "tool_calls"), "", EMPTY),
    (completion("Well, I", "MAX_TOKENS"), "Well, I", CUT_OFF),
    (completion(None, "content_filter: PROHIBITED_CONTENT"), "", REFUSED),
    (uncounted(None, "content_filter"), "", REFUSED),
    (uncounted(None, "length", total_tokens=350), "", CUT_OFF),  # thoughts, counted in the total alone
    (completion("half \ud800 a pair"), "half ? a pair", ""),
]


def test_how_a_reply_ended():
    for body, text, ended in ENDED:
        (got,), _ = answered(raw(body))
        assert (got.text, got.ended, got.error) == (text, ended, ""), body


TRY_LATER = {"error": {"message": "slow down"}}
UPSTREAM = {"code": 503, "message": "upstream", "metadata": {"provider_name": "Google", "raw": "busy"}}


@pytest.mark.parametrize(
    ("fault", "kind", "words"),
    [
        (faults.hangs, ModelOverloaded, "the server gave no reply within 1.5 s (3 attempts)"),
        (faults.drips, ModelOverloaded, "the server gave no reply within 1.5 s (3 attempts)"),
        (faults.closes_in_mid_reply, ModelOverloaded, "the server broke off: peer closed connection without"),
        (faults.says_too_short, ModelMisused, 'not the JSON of a chat completion; it begins \'{"id": "x", "model":\''),
        (faults.never_stops, ModelMisused, "the server's answer is larger than 8 MB (3 attempts)"),
        (raw(b"<!DOCTYPE html>"), ModelMisused, "a web page (HTML), not with JSON: is base_url right? (3 attempts)"),
        (raw(b"{oops"), ModelMisused, "is not the JSON of a chat completion; it begins '{oops'"),
        (raw(b"[" * 100_000), ModelMisused, "is not the JSON of a chat completion"),
        (raw(b"not gzip", Content_Encoding="gzip"), ModelMisused, "the server's answer can't be unpacked"),
        (raw({"choices": []}), ModelMisused, "the server's answer holds no choices"),
        (raw({"choices": [{"message": "yes"}]}), ModelMisused, "the server's answer holds no message"),
        (raw({"error": {"message": "bad key"}}, 401), ModelMisused, "the server answered 401: bad key"),
        (raw({"error": {"message": "no model tiny"}}, 404), ModelMisused, "the server answered 404: no model tiny"),
        (raw(b"<html>404", 404), ModelMisused, "the server answered 404 with a web page"),
        (raw({"error": {"code": "insufficient_quota", "message": "pay"}}, 429), ModelMisused, "answered 429: pay"),
        (raw(b"", 301, Location="https://x.example/v1?a=b"), ModelMisused, "points to https://x.example/v1: use that"),
        (raw(TRY_LATER, 429), ModelOverloaded, "the server answered 429: slow down (3 attempts)"),
        (raw(TRY_LATER, 429, Retry_After="3600"), ModelOverloaded, "slow down (1 attempt); it asks to wait 3600 s"),
        (raw(b"<html>Bad gateway", 502), ModelOverloaded, "the server answered 502 with a web page (3 attempts)"),
        (raw({"error": UPSTREAM}), ModelOverloaded, "the server answered 503: upstream: Google: busy"),
    ],
)
def test_a_server_that_answers_nothing_well_is_one_clear_reason(fault, kind, words):
    error, _ = answered(fault, **SLOW.get(fault, {}))
    assert type(error) is kind
    assert words in str(error)


def test_a_server_that_is_not_there():
    with serving(fine()) as server:
        adapter = opened(server)
    with pytest.raises(ModelOverloaded, match=r"the server can't be reached: .* \(3 attempts\)"):
        list(adapter.answer([asked()]))


FIELD = {"type": "missing", "loc": ["body", "messages", 0], "msg": "Field required"}
FAULTS = [
    (raw({"error": {"message": "too many tokens"}}, 400), "the server answered 400: too many tokens"),
    (raw({"detail": "too large"}, 413), "the server answered 413: too large"),
    (raw({"detail": [FIELD]}, 422), "the server answered 422: body.messages.0: Field required"),
    (raw([{"error": {"code": 400, "message": "no video"}}], 400), "the server answered 400: no video"),
    (raw({"error": {"message": "half \ud800 a\0pair"}}, 400), "the server answered 400: half ? a\ufffdpair"),
    (raw({"error": {"code": "context_length_exceeded", "message": "long"}}), "the server answered 400: long"),
    (fine("Yes", "error"), "the server's reply ended with 'error' (finish_reason) (3 attempts)"),
    (raw(with_error({"message": "gone"}, "Yes")), "the server's reply holds an error: gone (3 attempts)"),
    (raw(uncounted("")), "the server's reply holds no text, and no token of one (3 attempts)"),
    (raw({"choices": []}), "the server's answer holds no choices (3 attempts)"),
    (raw({"error": "crash"}, 500), "the server answered 500: crash (3 attempts)"),
    (faults.hangs, "the server gave no reply within 1.5 s (3 attempts)"),
]


@pytest.mark.parametrize(("fault", "words"), FAULTS)
@pytest.mark.requirement("M3")
def test_a_fault_of_one_question_is_an_error_of_that_question(fault, words):
    def act(handler):
        fault(handler) if "bad" in handler.said else (time.sleep(0.02), echo(handler))

    texts = ("one", "bad", *"abcdefghij")
    replies, _ = answered(act, *map(asked, texts), concurrency=2, **SLOW.get(fault, {}))
    assert [reply.error for reply in replies if reply.error] == [words]
    assert replies[1].error
    good = [reply.text for reply in replies[:1] + replies[2:]]
    assert good == [f"you said {text}" for text in ("one", *"abcdefghij")]


@pytest.mark.parametrize(
    "fault", [raw(TRY_LATER, 429), raw(TRY_LATER, 500), raw(b"{oops"), faults.hangs, faults.closes_in_mid_reply]
)
def test_what_waiting_can_mend_is_asked_again(fault):
    (reply,), server = answered(one_after_the_other(fault, fault, fine("No")), **SLOW.get(fault, {}))
    assert (reply.text, reply.error, len(server.seen)) == ("No", "", 3)
    bodies = [handler.body for handler in server.seen]
    assert bodies[0] == bodies[1] == bodies[2]


@pytest.mark.parametrize(
    "body",
    [
        *(completion("Yes", word) for word in ("error", "network_error", "insufficient_system_resource", "abort")),
        completion("Yes", "a word of next year"),
        completion("Yes", {"type": "abort"}),
        completion(None, None),
        uncounted(""),
        uncounted(None),
        uncounted(" ", "length"),
        with_error({"code": 502, "message": "Provider returned error"}, "Yes"),
        with_error("cut", "Yes", "error"),
        completion("Yes", error={"message": "upstream"}),
        {"error": "no capacity"},
        {"error": {"message": "upstream went away"}},
        {"error": {"code": "1302", "message": "busy"}, **completion("Yes")},
        *({"error": {"code": code, "message": "slow"}} for code in (503, "429", "rate_limit_exceeded", "server_error")),
        {"error": {"code": None, "type": "overloaded_error"}},
        [{"error": {"code": 503, "status": "UNAVAILABLE"}}],
    ],
)
def test_an_upstream_failure_is_asked_again_and_never_an_answer(body):
    (reply,), server = answered(one_after_the_other(raw(body), fine("No")))
    assert (reply.text, reply.error, len(server.seen)) == ("No", "", 2)
    error, server = answered(raw(body))
    assert type(error) is ModelOverloaded
    assert len(server.seen) == 3


def test_an_error_inside_a_reply_that_only_a_person_can_mend_ends_the_run():
    for code in ("invalid_api_key", "insufficient_quota", 403):
        error, server = answered(raw({"error": {"message": "no", "type": "invalid_request_error", "code": code}}))
        assert type(error) is ModelMisused
        assert len(server.seen) == 1


def test_the_wait_that_the_server_asks_for_is_kept():
    for wait in (lambda: "1", lambda: formatdate(time.time() + 1.9, usegmt=True)):
        began = time.monotonic()
        (reply,), server = answered(one_after_the_other(raw(TRY_LATER, 429, Retry_After=wait()), fine()))
        assert (reply.text, len(server.seen)) == ("yes", 2)
        assert time.monotonic() - began > 0.8
    clock = {"retry-after": "Fri, 31 Dec 1999 23:59:59 GMT", "date": "Fri, 31 Dec 1999 23:59:29 GMT"}
    assert wanted_wait(clock) == 30  # a date counts by the server's own clock
    assert wanted_wait({"retry-after": "-5"}) == 0
    assert [wanted_wait({"retry-after": text}) for text in ("", "soon", "nan", "inf", "9" * 400)] == [None] * 5


def test_replies_come_in_the_order_of_the_requests_and_several_are_under_way():
    def act(handler):
        time.sleep(0.02 * (4 - int(handler.said) % 4))
        echo(handler)

    replies, server = answered(act, *(asked(str(number)) for number in range(24)), concurrency=6)
    assert [reply.text for reply in replies] == [f"you said {number}" for number in range(24)]
    assert 1 < server.most <= 6


def test_an_overloaded_server_gets_fewer_requests_at_once_and_more_again_later():
    def act(handler):
        handler.send(TRY_LATER, 503) if handler.server.now > 3 or handler.number % 4 == 3 else echo(handler)

    with serving(act) as server:
        adapter = opened(server, concurrency=64, attempts=20, timeout=60)
        replies = list(adapter.answer([asked(str(number)) for number in range(60)]))
        assert [reply.text for reply in replies] == [f"you said {number}" for number in range(60)]
        # Its final value depends on this machine's speed; without lowering it would be 11 after sixty replies.
        assert server.most < 11
        assert 1 <= adapter.description["concurrency"] < 7


def test_the_limit_halves_once_a_round_and_grows_by_one_a_round():
    throttle = limits.Throttle(100, 16)
    for _ in range(5):
        throttle.was_too_much(sent_at=0.0)
    assert throttle.limit == 8
    for _ in range(8):
        throttle.went_well()
    assert 8.8 < throttle.limit < 9.1


def test_a_caller_who_stops_listening_stops_the_requests():
    nobody_listens = threading.Event()

    def act(handler):
        if handler.said != "0":
            nobody_listens.wait(PATIENCE)
        echo(handler)

    with serving(act) as server:
        replies = opened(server, concurrency=2, timeout=60).answer([asked(str(number)) for number in range(50)])
        next(replies)
        replies.close()
        nobody_listens.set()
        time.sleep(0.15)
        assert len(server.seen) < 8


def test_what_is_asked_again_goes_before_first_attempts_and_its_time_in_line_does_not_count():
    def act(handler):
        time.sleep(0.05)
        handler.send(TRY_LATER, 503) if handler.number == 3 else echo(handler)

    texts = [str(number) for number in range(50)]
    replies, server = answered(act, *map(asked, texts), concurrency=1, deadline=1.5, attempts=2)
    assert [reply.error for reply in replies if reply.error] == []
    order = [seen.body["messages"][-1]["content"] for seen in server.seen]
    again = max(place for place, text in enumerate(order) if text == order[2])
    assert sorted(order[:2] + order[3:]) == sorted(texts)
    assert again < 40  # not behind all others; the wait before it is short


def test_the_whole_time_of_a_reply_is_bounded_whatever_the_attempts():
    error, server = answered(faults.hangs, attempts=20, timeout=0.2, deadline=0.5)
    assert isinstance(error, ModelOverloaded)
    assert 1 <= len(server.seen) <= 3


def test_tokens_and_cost_are_counted_for_each_call():
    untold = (raw({**completion(), "usage": used}) for used in (None, {"prompt_tokens": 8}))
    acts = (raw(TRY_LATER, 500), fine(), fine(), *untold)
    with serving(one_after_the_other(*acts)) as server:
        adapter = opened(server, price_in=2.5, price_out=10, concurrency=1)
        list(adapter.answer([asked(), asked()]))
        first = dict(adapter.description)
        list(adapter.answer([asked(), asked()]))
    assert first["usage"] == {"requests": 3, "again": 1, "tokens_in": 200, "tokens_out": 20, "cost": 0.0007}
    uncounted = {"requests": 2, "again": 0, "tokens_in": 8, "tokens_out": 0, "untold": 2, "cost": 0.00002}
    assert adapter.description["usage"] == uncounted
    assert (first["answered by"], first["fingerprints"]) == (["tiny-1"], ["fp_1"])
    assert first["device"] == "server 127.0.0.1"


def test_the_key_is_sent_and_nowhere_else(monkeypatch, caplog):
    caplog.set_level(logging.DEBUG)
    monkeypatch.setenv("TINY_API_KEY", KEY)
    said = (raw({"error": {"message": f"no key {KEY}"}}, 400), raw({"error": f"revoked: {KEY}"}, 401))
    with serving(one_after_the_other(fine(), *said)) as server:
        adapter = opened(server, key_variable="TINY_API_KEY", concurrency=1)
        (_, complaint) = adapter.answer([asked(), asked()])
        with pytest.raises(ModelMisused) as refused:
            list(adapter.answer([asked()]))
    assert [handler.headers["Authorization"] for handler in server.seen] == [f"Bearer {KEY}"] * 3
    assert complaint.error == "the server answered 400: no key …"
    assert str(refused.value) == "the server answered 401: revoked: …"
    assert KEY not in f"{adapter.description} {adapter.options} {caplog.text} {complaint}"


def test_azures_version_goes_along_and_its_key_has_azures_header(monkeypatch):
    monkeypatch.setenv("TINY_API_KEY", KEY)
    with serving(fine("Yes")) as server:
        address = f"{server.base_url}/deployments/tiny?api-version=2025-01-01-preview"
        (reply,) = opened(server, base_url=address, key_variable="TINY_API_KEY").answer([asked()])
    (seen,) = server.seen
    assert (reply.text, seen.path) == ("Yes", "/v1/deployments/tiny/chat/completions?api-version=2025-01-01-preview")
    assert (seen.headers["api-key"], seen.headers["Authorization"]) == (KEY, None)


def test_the_proxy_of_the_environment_is_named_without_its_password(monkeypatch):
    for name in ("no_proxy", "NO_PROXY", "http_proxy"):
        monkeypatch.delenv(name, raising=False)
    with serving(raw(b"<html>", 502)) as proxy:
        at = proxy.base_url.removeprefix("http://").removesuffix("/v1")
        monkeypatch.setenv("HTTP_PROXY", f"http://me:secret@{at}")
        with pytest.raises(ModelOverloaded, match=at) as error:
            list(opened(proxy, base_url="http://models.example/v1").answer([asked()]))
    assert proxy.seen[0].path == "http://models.example/v1/chat/completions"
    assert "secret" not in str(error.value)


NO_ENVIRONMENT = "option key_variable: the name (never the key) of an environment variable"
NO_KEY = "environment variable MISSING_API_KEY holds no key where the worker runs"
WRONG = [
    ({"base_url": "ftp://x/v1"}, "option base_url: an address such as http://127.0.0.1:8000/v1, not 'ftp://x/v1'"),
    ({"base_url": "file:///etc/passwd"}, "option base_url: an address such as"),
    ({"base_url": "unix:///run/docker.sock"}, "option base_url: an address such as"),
    ({"base_url": "http://x:port/v1"}, "option base_url: an address such as"),
    ({"base_url": 7}, "option base_url: an address such as"),
    ({"base_url": "https://me:secret@x/v1"}, "option base_url: no user, password, query or fragment"),
    ({"base_url": "https://x/v1?key=secret"}, "option base_url: no user, password, query or fragment"),
    ({"base_url": "https://x/v1?api-version=1&key=secret"}, "option base_url: no user, password, query"),
    ({"model": ""}, "option model: the name by which the server knows the model"),
    ({"key_variable": "sk-123"}, NO_ENVIRONMENT),
    ({"key_variable": "SECRET_KEY"}, "an environment variable that ends in _API_KEY"),
    ({"key_variable": "MISSING_API_KEY"}, NO_KEY),
    ({"frames_as": "mp4"}, "option frames_as 'mp4': one of images, video"),
    ({"frames_as": "video", "image_format": "png"}, "option image_format: frames in a video part are sent as jpeg"),
    ({"concurrency": 0}, "option concurrency 0: a whole number from 1 to 256"),
    ({"timeout": "long"}, "option timeout 'long': a number from 0.01 to 3600"),
    ({"price_in": -1}, "option price_in -1: a number from 0 to 1e+06"),
    ({"extra": {"messages": []}}, "option extra: an object of request fields, none of model, messages, stream, n"),
    ({"temprature": 1}, "there is no option 'temprature'; there are base_url, model, key_variable"),
]


def test_wrong_options_are_one_line():
    for options, words in WRONG:
        given = {"base_url": "http://127.0.0.1:9/v1", "model": "tiny"} | options
        with pytest.raises(ModelMisused) as error:
            open_model(Model(slug="x", kind="openai", options=given))
        assert words in str(error.value)
        assert "\n" not in str(error.value)


def run_of(server, pack, slug="tiny", **options):
    options = {"base_url": server.base_url, "model": "tiny", "attempts": 3, **options}
    model = make_model(slug=slug, kind="openai", options=options)
    return start_run(model=model, pack=pack, strategy="binary", condition="question-only")


@pytest.mark.django_db
def test_other_runs_go_on_while_one_server_is_bad(pack):
    make_item(pack), make_item(pack, expected="no")
    how = {"attempts": 2, "timeout": 30, "price_in": 1.0}
    with serving(fine("Yes")) as good, serving(raw(TRY_LATER, 503)) as busy, serving(raw(b"<html>")) as wrong:
        servers = {"busy": busy, "wrong": wrong, "good": good}
        rests, failed, finished = (run_of(server, pack, slug, **how) for slug, server in servers.items())
        work()
    for run in (rests, failed, finished):
        run.refresh_from_db()
    assert (rests.state, rests.code) == ("running", "model-busy")
    assert rests.reason == "the model asks to wait: the server answered 503: slow down (2 attempts)"
    assert (failed.state, failed.code) == ("failed", "model-unusable")
    assert "a web page (HTML), not with JSON: is base_url right?" in failed.reason
    assert finished.state == "finished"
    assert finished.card["usage"] == {"requests": 2, "again": 0, "tokens_in": 200, "tokens_out": 20, "cost": 0.0002}


@pytest.mark.django_db
def test_a_model_that_says_nothing_has_a_result_and_a_failing_server_no_answer(pack):
    make_item(pack), make_item(pack)
    with serving(fine(None)) as mute, serving(fine("Yes", "error")) as broken:
        silent, failing = run_of(mute, pack, "mute"), run_of(broken, pack, "broken")
        work()
    silent.refresh_from_db(), failing.refresh_from_db()
    assert (silent.state, result_of(silent)["unread"]) == ("finished", 2)
    assert (failing.state, failing.code) == ("running", "model-busy")
    assert not ModelResponse.objects.filter(cell__run=failing).exists()


@pytest.mark.django_db
def test_what_was_asked_before_the_store_went_away_is_stored_and_not_asked_again(pack, monkeypatch):
    for _ in range(4):
        make_item(pack)
    ask, numbers = Asking.question, count()

    def question(asking, cell):
        if next(numbers) == 2:
            raise StoreAway("the store does not answer")
        return ask(asking, cell)

    monkeypatch.setattr(Asking, "question", question)
    with serving(fine("Yes")) as server:
        run = run_of(server, pack)
        work()
        run.refresh_from_db()
        assert (run.code, len(server.seen), ModelResponse.objects.count()) == ("store-away", 2, 2)
        Run.objects.update(rest_until=None)
        work()
    run.refresh_from_db()
    assert (run.state, len(server.seen), ModelResponse.objects.count()) == ("finished", 4, 4)


@pytest.mark.django_db
def test_clips_by_address_are_signed_and_fetched_by_the_server(pack, make_filmed, client):
    make_filmed(2)
    with serving(fine("Yes")) as server:
        options = {"base_url": server.base_url, "model": "tiny", "frames_as": "address"}
        model = make_model(slug="fetching", kind="openai", options=options)
        run = start_run(model=model, pack=pack, strategy="binary", sampler="uniform-4")
        work()
    run.refresh_from_db()
    assert (run.state, run.reason) == ("finished", "")
    assert all(one.body["media_io_kwargs"] == {"video": {"num_frames": 4}} for one in server.seen)
    addresses = {one.body["messages"][0]["content"][0]["video_url"]["url"] for one in server.seen}
    assert len(addresses) == 2
    for address in addresses:
        assert address.startswith("http://localhost:8000/")
        got = client.get(address.removeprefix("http://localhost:8000"))
        assert (got.status_code, b"".join(got.streaming_content)[4:8]) == (200, b"ftyp")
    assert "by its own rule" in run.card["model"]["shown"]
    assert list(ModelResponse.objects.filter(cell__run=run).values_list("frame_indices", flat=True)) == [[]] * 4


@pytest.mark.django_db
def test_an_address_shows_whole_clips_alone(pack, make_filmed):
    make_filmed(1)
    options = {"base_url": "http://127.0.0.1:9/v1", "model": "tiny", "frames_as": "address"}
    model = make_model(slug="fetching", kind="openai", options=options)
    for choice, sentence in (
        ({"condition": "shuffled-frames"}, "not under shuffled-frames"),
        ({"condition": "first-frame"}, "not under first-frame with first"),
        ({"sampler": "uniform-1"}, "with uniform-1"),
    ):
        with pytest.raises(RunMisused, match=sentence):
            start_run(model=model, pack=pack, strategy="binary", **choice)


@pytest.mark.django_db
def test_what_would_fail_again_is_asked_again_only_on_demand(pack):
    items = [make_item(pack, text=text) for text in ("Is it long?", "Is it broken?", "Is it red?")]
    faults_of = {"Is it long?": raw({"error": {"message": "too long"}}, 400), "Is it broken?": fine("Yes", "error")}

    def act(handler):
        next((fault for text, fault in faults_of.items() if text in handler.said), fine("Yes"))(handler)

    def asked_texts(ask):
        before = len(server.seen)
        count = ask(run=run)
        work()
        run.refresh_from_db()
        texts = {item.text for item in items for one in server.seen[before:] if item.text in str(one.body)}
        return count, texts, run.state

    with serving(act) as server:
        run = run_of(server, pack, concurrency=1, attempts=2)
        work()
        run.refresh_from_db()
        assert (run.state, run.cells.filter(state="failed").count()) == ("failed", 2)
        faults_of.pop("Is it broken?")
        assert asked_texts(resume_run) == (1, {"Is it broken?"}, "failed")
        assert asked_texts(resume_run) == (0, set(), "failed")
        faults_of.clear()  # somebody has given the server more room
        assert asked_texts(retry_run) == (1, {"Is it long?"}, "finished")


# --- thoughts ---


def test_a_later_turn_is_told_the_answer_without_the_thoughts():
    talk = Request((Turn("What is there?"), REPLY, Turn("Is it red?"), REPLY))
    (reply,), server = answered(fine("<think>hm</think>A ball."), talk)
    assert (reply.turns, reply.thoughts) == (("A ball.", "A ball."), ("hm", "hm"))
    said = [message["content"] for message in server.seen[1].body["messages"]]
    assert said == ["What is there?", "A ball.", "Is it red?"]


def test_the_first_prompt_is_told_without_its_pictures():
    replies, _ = answered(fine(), Request((Turn("Look.", clip(1)), REPLY)), asked())
    (message,) = json.loads(replies[0].prompt)
    assert message["content"][-1] == {"type": "text", "text": "Look."}
    assert re.fullmatch(r"data:image/jpeg;base64, \d+ characters", message["content"][1]["image_url"]["url"])
    assert replies[1].prompt == ""


class Signs:
    """A lease that is out of reach, and then ours again or lost."""

    def __init__(self, *, is_lost: bool):
        self.looks, self._is_lost = 0, is_lost

    @property
    def is_sure(self) -> bool:
        self.looks += 1
        return not self._is_lost and self.looks > 3

    def check(self):
        if self._is_lost and self.looks > 3:
            raise LeaseLost


@pytest.mark.parametrize("is_lost", [False, True])
def test_nothing_is_asked_while_another_worker_may_have_the_questions(is_lost, monkeypatch):
    """What a worker without a link had under way is stored by another meanwhile, and would be asked in vain."""
    monkeypatch.setattr(adapter, "LOOK", 0.01)
    with serving(echo) as server:
        model, signs = opened(server), Signs(is_lost=is_lost)
        model.ask_under(signs)
        with pytest.raises(LeaseLost) if is_lost else nullcontext():
            assert [reply.text for reply in model.answer([asked()])] == ["you said Is it red?"]
    assert signs.looks > 3
    assert len(server.seen) == (not is_lost)
