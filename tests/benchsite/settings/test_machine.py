"""Default sizes follow the machine; a container's limits take precedence."""

import os

import pytest

from benchsite.settings.machine import cores, cpu_workers, decode_threads, memory_mb, web_processes


@pytest.mark.parametrize(
    ("given", "wanted"),
    [
        ((1, 1_000), (2, 1, 1)),
        ((2, 4_000), (2, 1, 2)),
        ((4, 8_000), (4, 1, 4)),
        ((16, 64_000), (8, 2, 8)),
        ((16, 4_000), (5, 2, 8)),
        ((64, 256_000), (8, 8, 8)),
    ],
)
def test_processes_of_a_machine(given, wanted):
    assert (web_processes(*given), cpu_workers(given[0]), decode_threads(given[0])) == wanted


@pytest.mark.parametrize(("written", "share"), [("max 100000", None), ("150000 100000", 1), ("50000 100000", 1)])
def test_a_quota_of_the_container_counts(tmp_path, written, share):
    (tmp_path / "cpu.max").write_text(written)
    assert cores(tmp_path) == (share or len(os.sched_getaffinity(0)))


def test_so_does_its_memory_and_where_none_is_told_the_machine_s(tmp_path):
    whole = memory_mb(tmp_path)
    assert whole > 500
    (tmp_path / "memory.max").write_text(str(300 * 2**20))
    assert memory_mb(tmp_path) == 300
    (tmp_path / "memory.max").write_text("max")
    assert memory_mb(tmp_path) == whole
