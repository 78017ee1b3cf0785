"""The queue in a folder: whatever files exist there, no message is read half-written and none ends a worker."""

import json
import logging
import signal
import textwrap
import time
from pathlib import Path
from queue import Empty
from subprocess import PIPE, Popen

import pytest
from kombu import Connection, Exchange, Queue

from tests.programs import start
from tests.site import PATIENCE, environment, wait_for

WORK = Queue("work", Exchange("work"), routing_key="work")


def options(folder: Path) -> dict:
    messages, control = folder / "messages", folder / "control"
    return {"data_folder_in": str(messages), "data_folder_out": str(messages), "control_folder": str(control)}


@pytest.fixture
def channel(tmp_path):
    with Connection("filesystem://", transport_options=options(tmp_path)) as connection:
        yield connection.channel()


def put(channel, body, queue="work") -> None:
    channel._put(queue, {"body": body})


def taken(channel, queue="work") -> list:
    """Take all messages from the queue."""
    found = []
    while True:
        try:
            found.append(channel._get(queue)["body"])
        except Empty:
            return found


def test_messages_come_out_in_the_order_in_which_they_went_in(channel, tmp_path):
    assert type(channel).__module__ == "benchsite.serving.filesystem_broker"
    (tmp_path / "messages" / "left.part").write_text('{"body": "hal')  # of a killed writer
    for number in range(20):
        put(channel, number)
    put(channel, "other", queue="more.work")
    assert channel._size("work") == 20
    assert taken(channel) == list(range(20))
    assert taken(channel, "more.work") == ["other"]


@pytest.mark.parametrize("content", [b"", b'{"body": "cut o', b"\xff\xfe", b"<html>"])
def test_what_cannot_be_read_is_set_aside_and_logged(channel, tmp_path, caplog, content):
    messages = tmp_path / "messages"
    (messages / "00000000000000000001_broken.work.msg").write_bytes(content)
    put(channel, "whole")
    with caplog.at_level(logging.WARNING):
        assert taken(channel) == ["whole"]
    assert "can't be read" in caplog.text
    assert [path.name for path in messages.iterdir()] == ["00000000000000000001_broken.work.unreadable"]


def test_a_binding_is_written_once_and_what_a_killed_writer_left_is_none(channel, tmp_path):
    (tmp_path / "control" / "left.part").write_text("[[")
    for queue in ("one", "two", "one"):
        channel._queue_bind("place", "key", "", queue)
    assert sorted(row.queue for row in channel.get_table("place")) == ["one", "two"]
    assert channel.get_table("nowhere") == []


SCRIPT = textwrap.dedent("""
    import json, pathlib, sys
    from queue import Empty
    import benchsite.celery
    from kombu import Connection, Exchange, Queue

    act, name, count, options = sys.argv[1], sys.argv[2], int(sys.argv[3]), json.loads(sys.argv[4])
    all_is_written = pathlib.Path(sys.argv[5])
    work = Queue("work", Exchange("work"), routing_key="work")
    with Connection("filesystem://", transport_options=options) as connection:
        if act == "put":
            producer = connection.Producer()
            for number in range(count):
                producer.publish({"id": f"{name}-{number}", "filling": "x" * 20_000}, exchange=work.exchange,
                                 routing_key="work", declare=[work])
        else:
            queue, found = connection.SimpleQueue(work), []
            while True:
                is_the_last_look = all_is_written.exists()
                try:
                    message = queue.get(timeout=0.5)
                    message.ack()
                    found.append(message.payload["id"])
                except Empty:
                    if is_the_last_look:
                        break
            print(json.dumps(found))
""")


def process(folder: Path, act: str, name: str, count: int) -> Popen:
    given = (act, name, str(count), json.dumps(options(folder)), str(folder / "written"))
    return start(["-c", SCRIPT, *given], environment(folder), stdout=PIPE, stderr=PIPE)


def test_many_processes_write_and_read_and_every_message_arrives_once(tmp_path):
    readers = [process(tmp_path, "get", str(number), 0) for number in range(2)]
    writers = [process(tmp_path, "put", str(number), 150) for number in range(2)]
    victim = process(tmp_path, "put", "victim", 100_000)
    wait_for(lambda: any((tmp_path / "messages").glob("*.msg")))
    time.sleep(0.2)
    victim.send_signal(signal.SIGKILL)
    victim.communicate(timeout=PATIENCE)
    for writer in writers:
        _, errors = writer.communicate(timeout=PATIENCE)
        assert writer.returncode == 0, errors
    (tmp_path / "written").touch()
    found = []
    for reader in readers:
        output, errors = reader.communicate(timeout=PATIENCE)
        assert reader.returncode == 0, errors
        assert "can't be read" not in errors
        found += json.loads(output)
    assert len(found) == len(set(found))
    assert {one for one in found if "victim" not in one} == {f"{name}-{n}" for name in range(2) for n in range(150)}
    assert list((tmp_path / "messages").glob("*.msg")) == []
