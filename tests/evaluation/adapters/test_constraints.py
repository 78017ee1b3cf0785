"""Replies constrained to the options, thoughts switched or limited to a budget: locally and through servers."""

import pytest

from evaluation.adapters.base import REPLY, Request, Turn
from evaluation.adapters.openai.adapter import OpenAIModel
from evaluation.errors import ModelMisused
from tests.evaluation.fault_server import completion, fine, serving

PAIR = ("object 1", "object 2")
MANY = ("red", "re", "blue")  # one is a prefix of another


def asked(words: str = "Which one?", **values) -> Request:
    return Request((Turn(words), REPLY), **values)


@pytest.mark.parametrize("options", [("yes", "no"), PAIR, MANY])
@pytest.mark.parametrize("temperature", [0.0, 2.0])
def test_a_constrained_reply_is_one_of_the_options_in_a_batch_too(opened, options, temperature):
    """A model with random weights replies noise; constrained, each row replies an option and ends."""
    words = ("Which one?", "Is the ball on the table red? Is this true?", "Look.")
    how = {"options": options, "temperature": temperature}
    free = opened("text_alone").answer([asked(one, seed=place, **how) for place, one in enumerate(words)])
    spelt = {text for option in options for text in (option, option.capitalize())}
    assert not {reply.text for reply in free} & spelt
    held = [asked(one, seed=place, constrained=True, **how) for place, one in enumerate(words)]
    replies = list(opened("text_alone").answer(held))
    assert {reply.text for reply in replies} <= spelt
    assert not any(reply.ended for reply in replies)
    alone = [next(opened("text_alone").answer([one])).text for one in held]
    assert [reply.text for reply in replies] == alone


def test_only_the_last_reply_is_held(opened):
    request = Request((Turn("Look."), REPLY, Turn("Is it red?"), REPLY), options=PAIR, constrained=True)
    first, last = next(opened("text_alone").answer([request])).turns
    assert last.casefold() in PAIR
    assert first.casefold() not in PAIR


def test_thoughts_end_at_their_budget_and_the_answer_is_held_after_them(opened):
    adapter = opened("made_to_think")
    cut = next(adapter.answer([asked(thinking=True, options=PAIR, max_new_tokens=4)]))
    assert cut.ended == "thoughts cut off"  # noise never ends its thoughts
    for budget in (1, 5, 24):
        reply = next(adapter.answer([asked(thinking=budget, options=PAIR, constrained=True)]))
        assert reply.text.casefold() in PAIR
        spoken = adapter.opened.tokenizer(reply.text, add_special_tokens=False)["input_ids"]
        assert reply.tokens_out == budget + 1 + len(spoken) + 1  # the marker, the answer, the end


def test_tokens_are_counted_up_to_the_end_of_each_reply(opened):
    adapter = opened("text_alone")
    short, long = (asked(one, options=("yes", "no"), constrained=True) for one in ("Red?", "Is the ball red? " * 9))
    few, many = adapter.answer([short, long])
    tokens = adapter.opened.tokenizer(few.text, add_special_tokens=False)["input_ids"]
    assert few.tokens_out == len(tokens) + 1  # and the one that ends it
    assert few.tokens_in == next(adapter.answer([short])).tokens_in < many.tokens_in


def test_thinking_is_switched_by_the_template_for_one_request(opened):
    adapter = opened("thinker")
    off = next(adapter.answer([asked(thinking=False)])).prompt
    on = next(adapter.answer([asked(thinking=True)])).prompt
    assert off.endswith("<think>\n\n</think>\n\n")
    assert not on.endswith("<think>\n\n</think>\n\n")


def test_a_setting_that_a_model_can_not_have_is_one_sentence(opened):
    for family, thinking, sentence in (
        ("text_alone", True, "never thinks: its chat template reads no switch"),
        ("made_to_think", False, "always thinks: its chat template reads no switch"),
        ("text_alone", 9, "never thinks"),
    ):
        with pytest.raises(ModelMisused, match=sentence):
            list(opened(family).answer([asked(thinking=thinking)]))


def through(act, request: Request, **options):
    with serving(act) as server:
        model = OpenAIModel(base_url=server.base_url, model="tiny", attempts=1, **options)
        try:
            return next(model.answer([request])), server.seen[0].body
        except ModelMisused as error:
            return error, {}


@pytest.mark.parametrize(
    ("dialect", "said", "told"),
    [
        ("structured_outputs", "No", {"structured_outputs": {"choice": ["yes", "Yes", "no", "No"]}}),
        ("guided_choice", "no", {"guided_choice": ["yes", "Yes", "no", "No"]}),
        ("regex", "no", {"regex": "yes|Yes|no|No"}),
        ("grammar", "no", {"grammar": 'root ::= "yes" | "Yes" | "no" | "No"'}),
        ("json_schema", '{"answer": "no"}', {}),
    ],
)
def test_servers_are_told_the_options_in_their_own_words(dialect, said, told):
    request = asked(options=("yes", "no"), constrained=True)
    reply, body = through(fine(said), request, choice_as=dialect)
    assert reply.text.casefold() == "no"
    assert (reply.tokens_in, reply.tokens_out) == (100, 10)
    assert told.items() <= body.items()
    if dialect == "json_schema":
        schema = body["response_format"]["json_schema"]["schema"]
        assert schema["properties"]["answer"]["enum"] == ["yes", "Yes", "no", "No"]
    ignored, _ = through(fine("It is hard to say."), request, choice_as=dialect)
    assert ignored.error.startswith("the server was told to answer one of yes, no")
    silent, _ = through(fine(None), request, choice_as=dialect)
    assert (silent.text, silent.error) == ("", "")
    assert "choice" in str(through(fine(said), request)[0])


@pytest.mark.parametrize(
    ("dialect", "thinking", "told", "most"),
    [
        ("template", False, {"chat_template_kwargs": {"enable_thinking": False, "tone": "dry"}}, 64),
        ("template", True, {"chat_template_kwargs": {"enable_thinking": True, "tone": "dry"}}, 164),
        ("template", 30, {"thinking_token_budget": 30}, 94),
        ("effort", False, {"reasoning_effort": "none"}, 64),
        ("reasoning", 30, {"reasoning": {"max_tokens": 30}}, 94),
    ],
)
def test_servers_are_told_to_think_in_their_own_words(dialect, thinking, told, most):
    extra = {"chat_template_kwargs": {"tone": "dry"}} if dialect == "template" else {}
    options = {"thinking_as": dialect, "thinking_tokens": 100, "extra": extra}
    _, body = through(fine("Yes."), asked(thinking=thinking), **options)
    assert told.items() <= body.items()
    assert body["max_tokens"] == most


def test_a_budget_where_a_server_knows_none_is_one_sentence():
    error, _ = through(fine(), asked(thinking=5), thinking_as="effort")
    assert "effort supports no token budget" in str(error)
    assert "thinking_as" in str(through(fine(), asked(thinking=True))[0])


def test_tokens_that_a_server_does_not_tell_stay_unknown():
    def silent(handler):
        handler.send(completion("Yes.") | {"usage": None})

    reply, _ = through(silent, asked())
    assert (reply.tokens_in, reply.tokens_out) == (None, None)
