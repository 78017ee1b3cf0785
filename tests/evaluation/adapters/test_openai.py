"""The adapter of OpenAI-compatible servers, against a real HTTP server with all kinds of faults."""

import base64
import io
import json
import logging
import re
import threading
import time
from email.utils import formatdate

import numpy as np
import pytest
from PIL import Image

from evaluation.adapters.base import CUT_IN_THOUGHT, CUT_OFF, REFUSED, REPLY, Audio, Frames, Request, Turn
from evaluation.adapters.openai import rate_limit
from evaluation.adapters.openai.adapter import OpenAIModel
from evaluation.adapters.openai.responses import wanted_wait
from evaluation.adapters.registry import open_model
from evaluation.errors import ModelMisused, ModelOverloaded
from evaluation.models import Model
from evaluation.runs.lifecycle import start_run
from evaluation.workers.loop import work
from tests.evaluation import fault_server as faults
from tests.evaluation.fault_server import completion, echo, fine, one_after_the_other, raw, serving
from tests.factories import make_item, make_model
from tests.site import PATIENCE

SLOW = {faults.hangs: {"timeout": 1.5}, faults.drips: {"timeout": 1.5}}  # short, where all of it is used up
KEY = "sk-very-secret-0123"


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    """Waits between attempts in milliseconds."""
    monkeypatch.setattr(rate_limit, "FIRST_WAIT", 0.004)


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
    (reply,), server = answered(
        fine("Yes."),
        asked(seed=2**40 + 7, temperature=0.7, max_new_tokens=9),
        system="Be brief.",
        length_field="max_completion_tokens",
        extra={"temperature": None, "top_p": 0.9},
    )
    assert (reply.text, reply.turns, reply.ended, reply.error) == ("Yes.", ("Yes.",), "", "")
    (handler,) = server.seen
    assert handler.path == "/v1/chat/completions"
    assert handler.headers.get("Authorization") is None
    assert handler.body == {
        "model": "tiny",
        "seed": 7,
        "max_completion_tokens": 9,
        "stream": False,
        "top_p": 0.9,
        "messages": [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Is it red?"}],
    }


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


@pytest.mark.parametrize("form", ["png", "jpeg"])
def test_frames_are_images_with_their_times(form):
    _, server = answered(fine(), Request((Turn("What?", clip(10, 200)), REPLY)), image_format=form)
    content = server.seen[0].body["messages"][0]["content"]
    assert [part.get("text", part["type"]) for part in content] == [
        "0.00 s",
        "image_url",
        "0.50 s",
        "image_url",
        "What?",
    ]
    for part, grey in zip(content[1:4:2], (10, 200), strict=True):
        head, _, data = part["image_url"]["url"].partition(",")
        assert head == f"data:image/{form};base64"
        picture = np.asarray(Image.open(io.BytesIO(base64.b64decode(data))))
        assert picture.shape == (8, 12, 3)
        assert abs(picture.astype(int) - grey).max() <= (0 if form == "png" else 2)


def test_times_do_not_give_away_the_order_of_shuffled_frames():
    _, server = answered(fine(), Request((Turn("?", clip(20, 0, 10, indices=(2, 0, 1))), REPLY)))
    content = server.seen[0].body["messages"][0]["content"]
    assert [part["text"] for part in content if part["type"] == "text"] == ["0.00 s", "0.50 s", "1.00 s", "?"]


def test_frames_can_be_one_video_part_and_sound_goes_along():
    sound = Audio(np.array([0, 0.5, -0.5, 2.0], np.float32), 8000)
    _, server = answered(fine(), Request((Turn("?", clip(0, 1, 2), sound), REPLY)), frames_as="video")
    video, audio, text = server.seen[0].body["messages"][0]["content"]
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


@pytest.mark.parametrize(
    ("reply", "text", "ended"),
    [
        (completion("Well, I", "length"), "Well, I", CUT_OFF),
        (completion(None, "length"), "", CUT_OFF),
        (completion(None, "content_filter"), "", REFUSED),
        (completion(None, refusal="I can't."), "I can't.", REFUSED),
        (completion([{"type": "text", "text": "ye"}, {"type": "text", "text": "s"}]), "yes", ""),
        (completion(""), "", ""),
        (completion("half \ud800 a pair"), "half ? a pair", ""),
    ],
)
def test_how_a_reply_ended(reply, text, ended):
    (got,), _ = answered(raw(reply))
    assert (got.text, got.ended, got.error) == (text, ended, "")


TRY_LATER = {"error": {"message": "slow down"}}


@pytest.mark.parametrize(
    ("fault", "kind", "words"),
    [
        (faults.hangs, ModelOverloaded, "the server gave no reply within 1.5 s (3 attempts)"),
        (faults.drips, ModelOverloaded, "the server gave no reply within 1.5 s (3 attempts)"),
        (
            faults.closes_in_mid_reply,
            ModelOverloaded,
            "the server broke off: peer closed connection without sending complete",
        ),
        (faults.says_too_short, ModelMisused, 'not the JSON of a chat completion; it begins \'{"id": "x", "model":\''),
        (faults.never_stops, ModelMisused, "the server's answer is larger than 8 MB (3 attempts)"),
        (
            raw(b"<!DOCTYPE html><p>Hi"),
            ModelMisused,
            "a web page (HTML), not with JSON: is base_url right? (3 attempts)",
        ),
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
        (raw({"error": {"code": 503, "message": "upstream"}}), ModelOverloaded, "the server answered 503: upstream"),
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


@pytest.mark.parametrize(
    ("fault", "words"),
    [
        (raw({"error": {"message": "too many tokens"}}, 400), "the server answered 400: too many tokens"),
        (raw({"detail": "too large"}, 413), "the server answered 413: too large"),
        (fine(None), "the server's reply holds no text (finish_reason 'stop')"),
        (raw({"choices": []}), "the server's answer holds no choices (3 attempts)"),
        (raw({"error": "crash"}, 500), "the server answered 500: crash (3 attempts)"),
        (faults.hangs, "the server gave no reply within 1.5 s (3 attempts)"),
    ],
)
@pytest.mark.requirement("M3")
def test_a_fault_of_one_question_is_an_error_of_that_question(fault, words):
    def act(handler):
        fault(handler) if "bad" in handler.said else (time.sleep(0.02), echo(handler))

    replies, _ = answered(
        act, *(asked(text) for text in ("one", "bad", *"abcdefghij")), concurrency=2, **SLOW.get(fault, {})
    )
    assert [reply.error for reply in replies if reply.error] == [words]
    assert replies[1].error
    assert [reply.text for reply in replies[:1] + replies[2:]] == [
        f"you said {text}" for text in ("one", *"abcdefghij")
    ]


@pytest.mark.parametrize(
    "fault", [raw(TRY_LATER, 429), raw(TRY_LATER, 500), raw(b"{oops"), faults.hangs, faults.closes_in_mid_reply]
)
def test_what_waiting_can_mend_is_asked_again(fault):
    (reply,), server = answered(one_after_the_other(fault, fault, fine("No")), **SLOW.get(fault, {}))
    assert (reply.text, reply.error, len(server.seen)) == ("No", "", 3)
    bodies = [handler.body for handler in server.seen]
    assert bodies[0] == bodies[1] == bodies[2]


@pytest.mark.parametrize(
    "wait", [lambda: {"Retry_After": "1"}, lambda: {"Retry_After": formatdate(time.time() + 1.9, usegmt=True)}]
)
def test_the_wait_that_the_server_asks_for_is_kept(wait):
    began = time.monotonic()
    (reply,), server = answered(one_after_the_other(raw(TRY_LATER, 429, **wait()), fine()))
    assert (reply.text, len(server.seen)) == ("yes", 2)
    assert time.monotonic() - began > 0.8


def test_a_date_to_wait_for_counts_by_the_servers_own_clock():
    clock = {"retry-after": "Fri, 31 Dec 1999 23:59:59 GMT", "date": "Fri, 31 Dec 1999 23:59:29 GMT"}
    assert wanted_wait(clock) == 30
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
        if handler.server.now > 3:
            handler.send(TRY_LATER, 503)
        else:
            time.sleep(0.01)
            echo(handler)

    with serving(act) as server:
        adapter = opened(server, concurrency=64, attempts=20, timeout=60)
        replies = list(adapter.answer([asked(str(number)) for number in range(60)]))
        assert [reply.text for reply in replies] == [f"you said {number}" for number in range(60)]
        # Its final value depends on this machine's speed; without lowering, all sixty would be sent at once.
        assert server.most < 20
        assert 1 <= adapter.description["concurrency"] < 20


def test_the_limit_halves_once_a_round_and_grows_by_one_a_round():
    limits = rate_limit.Throttle(100, 16)
    for _ in range(5):
        limits.was_too_much(sent_at=0.0)
    assert limits.limit == 8
    for _ in range(8):
        limits.went_well()
    assert 8.8 < limits.limit < 9.1


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


def test_the_whole_time_of_a_reply_is_bounded_whatever_the_attempts():
    error, server = answered(faults.hangs, attempts=20, timeout=0.2, deadline=0.5)
    assert isinstance(error, ModelOverloaded)
    assert 1 <= len(server.seen) <= 3


def test_tokens_and_cost_are_counted_for_each_call():
    with serving(
        one_after_the_other(raw(TRY_LATER, 500), fine(), fine(), raw({**completion(), "usage": None}))
    ) as server:
        adapter = opened(server, price_in=2.5, price_out=10, concurrency=1)
        list(adapter.answer([asked(), asked()]))
        first = dict(adapter.description)
        list(adapter.answer([asked()]))
    assert first["usage"] == {"requests": 3, "again": 1, "tokens_in": 200, "tokens_out": 20, "cost": 0.0007}
    assert adapter.description["usage"] == {
        "requests": 1,
        "again": 0,
        "tokens_in": 0,
        "tokens_out": 0,
        "untold": 1,
        "cost": 0.0,
    }
    assert (first["answered by"], first["fingerprints"]) == (["tiny-1"], ["fp_1"])
    assert first["device"] == "server 127.0.0.1"


def test_the_key_is_sent_and_nowhere_else(monkeypatch, caplog):
    caplog.set_level(logging.DEBUG)
    monkeypatch.setenv("TINY_API_KEY", KEY)
    with serving(
        one_after_the_other(
            fine(), raw({"error": {"message": f"no key {KEY}"}}, 400), raw({"error": f"revoked: {KEY}"}, 401)
        )
    ) as server:
        adapter = opened(server, key_variable="TINY_API_KEY", concurrency=1)
        (_, complaint) = adapter.answer([asked(), asked()])
        with pytest.raises(ModelMisused) as refused:
            list(adapter.answer([asked()]))
    assert [handler.headers["Authorization"] for handler in server.seen] == [f"Bearer {KEY}"] * 3
    assert complaint.error == "the server answered 400: no key …"
    assert str(refused.value) == "the server answered 401: revoked: …"
    shown = f"{adapter.description} {adapter.options} {caplog.text} {complaint}"
    assert KEY not in shown


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"base_url": "ftp://x/v1"}, "option base_url: an address such as http://127.0.0.1:8000/v1, not 'ftp://x/v1'"),
        ({"base_url": "http://x:port/v1"}, "option base_url: an address such as"),
        ({"base_url": 7}, "option base_url: an address such as"),
        ({"base_url": "https://me:secret@x/v1"}, "option base_url: no user, password, query or fragment"),
        ({"model": ""}, "option model: the name by which the server knows the model"),
        ({"key_variable": "sk-123"}, "option key_variable: the name (never the key) of an environment variable"),
        ({"key_variable": "SECRET_KEY"}, "an environment variable that ends in _API_KEY"),
        (
            {"key_variable": "MISSING_API_KEY"},
            "environment variable MISSING_API_KEY holds no key where the worker runs",
        ),
        ({"frames_as": "mp4"}, "option frames_as 'mp4': one of images, video"),
        ({"frames_as": "video", "image_format": "png"}, "option image_format: frames in a video part are sent as jpeg"),
        ({"concurrency": 0}, "option concurrency 0: a whole number from 1 to 256"),
        ({"timeout": "long"}, "option timeout 'long': a number from 0.01 to 3600"),
        ({"price_in": -1}, "option price_in -1: a number from 0 to 1e+06"),
        ({"extra": {"messages": []}}, "option extra: an object of request fields, none of model, messages, stream, n"),
        ({"temprature": 1}, "there is no option 'temprature'; there are base_url, model, key_variable"),
    ],
)
def test_wrong_options_are_one_line(options, words):
    given = {"base_url": "http://127.0.0.1:9/v1", "model": "tiny"} | options
    with pytest.raises(ModelMisused) as error:
        open_model(Model(slug="x", kind="openai", options=given))
    assert words in str(error.value)
    assert "\n" not in str(error.value)


@pytest.mark.django_db
def test_other_runs_go_on_while_one_server_is_bad(pack):
    make_item(pack), make_item(pack, expected="no")
    with serving(fine("Yes")) as good, serving(raw(TRY_LATER, 503)) as busy, serving(raw(b"<html>")) as wrong:
        runs = []
        for slug, server in (("busy", busy), ("wrong", wrong), ("good", good)):
            options = {"base_url": server.base_url, "model": "tiny", "attempts": 2, "timeout": 30, "price_in": 1.0}
            model = make_model(slug=slug, kind="openai", options=options)
            runs.append(start_run(model=model, pack=pack, strategy="binary", condition="question-only"))
        work()
    for run in runs:
        run.refresh_from_db()
    rests, failed, finished = runs
    assert (rests.state, rests.code) == ("running", "model-busy")
    assert rests.reason == "the model asks to wait: the server answered 503: slow down (2 attempts)"
    assert (failed.state, failed.code) == ("failed", "model-unusable")
    assert "a web page (HTML), not with JSON: is base_url right?" in failed.reason
    assert finished.state == "finished"
    assert finished.card["usage"] == {"requests": 2, "again": 0, "tokens_in": 200, "tokens_out": 20, "cost": 0.0002}


# --- thoughts ---


@pytest.mark.parametrize(
    ("message", "text", "thoughts"),
    [
        ({"content": "Yes.", "reasoning_content": "It is red, no?"}, "Yes.", "It is red, no?"),
        ({"content": "Yes.", "reasoning": "It is red, no?"}, "Yes.", "It is red, no?"),
        ({"content": "<think>It is red, no?</think>\n\nYes."}, "Yes.", "It is red, no?"),
        ({"content": "It is red, no?</think>Yes."}, "Yes.", "It is red, no?"),
        ({"content": "Yes.", "reasoning_content": ""}, "Yes.", ""),
        ({"content": None, "reasoning_content": "It is red."}, "", "It is red."),
        (
            {
                "content": [
                    {"type": "thinking", "thinking": [{"type": "text", "text": "Red?"}]},
                    {"type": "text", "text": "Yes."},
                ]
            },
            "Yes.",
            "Red?",
        ),
    ],
)
def test_thoughts_are_kept_apart_wherever_a_server_puts_them(message, text, thoughts):
    (reply,), _ = answered(fine(message.pop("content"), **message))
    assert (reply.text, "".join(reply.thoughts), reply.ended) == (text, thoughts, "")


@pytest.mark.parametrize(
    "message", [{"text": "<think>It is"}, {"text": None, "reasoning_content": "It is"}, {"text": "", "reasoning": "It"}]
)
def test_thoughts_that_ran_out_of_room_are_told_from_an_answer_that_did(message):
    (reply,), _ = answered(fine(finish="length", **message))
    assert (reply.text, reply.ended) == ("", CUT_IN_THOUGHT)


def test_a_later_turn_is_told_the_answer_without_the_thoughts():
    talk = Request((Turn("What is there?"), REPLY, Turn("Is it red?"), REPLY))
    (reply,), server = answered(fine("<think>hm</think>A ball."), talk)
    assert (reply.turns, reply.thoughts) == (("A ball.", "A ball."), ("hm", "hm"))
    assert [message["content"] for message in server.seen[1].body["messages"]] == [
        "What is there?",
        "A ball.",
        "Is it red?",
    ]


def test_a_model_that_thinks_has_room_beyond_its_answer():
    _, server = answered(fine(), asked(max_new_tokens=9), thinking_tokens=1000)
    assert server.seen[0].body["max_tokens"] == 1009


def test_the_first_prompt_is_told_without_its_pictures():
    replies, _ = answered(fine(), Request((Turn("Look.", clip(1)), REPLY)), asked())
    (message,) = json.loads(replies[0].prompt)
    assert message["content"][-1] == {"type": "text", "text": "Look."}
    assert re.fullmatch(r"data:image/jpeg;base64, \d+ characters", message["content"][1]["image_url"]["url"])
    assert replies[1].prompt == ""
