"""Progress is one line on a terminal, and an occasional line in a file."""

import io

import pytest

from benchmarks.progress_bar import FORM_WITH_DETAIL, PlainLines, progress_bar
from tests.commands import Terminal


def test_a_loop_on_a_terminal_shows_steps_loss_seconds_and_time_left_on_one_line():
    stream = Terminal()
    show = progress_bar(stream, "Training", FORM_WITH_DETAIL)
    for done in range(1, 4):
        show(done, 3, f"loss {1 / done:.4f}")
    *_, last = stream.getvalue().replace("\n", "").split("\r")
    assert last.rstrip() == "Training [################] 3/3 00:00 00:00 left, loss 0.3333"
    assert len(last) <= 79


def test_a_loop_that_is_taken_up_again_starts_where_it_was():
    stream = Terminal()
    show = progress_bar(stream, "Training", FORM_WITH_DETAIL)
    show(101, 200, "loss 1.0000")
    assert show.__closure__ is not None
    (bar,) = [cell.cell_contents for cell in show.__closure__ if hasattr(cell.cell_contents, "initial")]
    assert (bar.initial, bar.n) == (100, 101)


@pytest.mark.parametrize(
    ("pace", "wanted"), [(0.5, []), (3.0, ["Clips: 4 of 10", "Clips: 8 of 10", "Clips: 10 of 10"])]
)
def test_without_a_terminal_what_lasts_says_a_line_every_ten_seconds_and_what_is_short_none(pace, wanted):
    stream, now = io.StringIO(), [0.0]
    show = progress_bar(stream, "Clips")
    show.clock, show.began, show.written = (lambda: now[0]), 0.0, 0.0
    for done in (*range(1, 11), 10):  # who waits asks again at the end
        now[0] += pace
        show(done, 10)
    assert [line.split(",")[0] for line in stream.getvalue().splitlines()] == wanted


@pytest.mark.parametrize("first", [1, 501])
def test_lines_come_first_last_and_every_ten_seconds(first):
    said, now = [], [0.0]
    show = PlainLines("Training", said.append, clock=lambda: now[0])
    for done in range(first, 1001):
        now[0] += 0.1
        show(done, 1000, "loss 0.5000")
    assert said[0] == f"Training: {first} of 1000, loss 0.5000, 0 s, about {(1000 - first) / 10:.0f} s left"
    assert said[-1].startswith("Training: 1000 of 1000, ")
    assert said[-1].endswith(" about 0 s left")
    assert len(said) == 2 + (1001 - first - 2) // 100
