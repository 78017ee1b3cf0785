"""`python -m benchmarks.packs.folder_process FOLDER SECONDS MEGABYTES`: check a folder of others within these limits.

A ZIP of two kilobytes can ask for gigabytes or minutes, and would take them from the web process.
"""

import json
import os
import subprocess
import sys
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import django
from django.conf import settings

from benchmarks.encoding.limits import limit_memory, limit_time

TOO_MUCH = "checking the folder took too much time or memory: check it with the command check_benchmark"
SHOWN = 10  # first questions
SECONDS = 60  # of a processor; a table of 100,000 questions takes about four


@dataclass(frozen=True)
class FolderSummary:
    """What check_benchmark says of a folder: a preview, (where, what) of findings and gaps, first questions, clips."""

    lines: list[str]
    findings: list[tuple[str, str]]
    gaps: list[tuple[str, str]]
    rows: list[dict[str, Any]]
    clips: list[str]  # below the folder


def check_within_limits(root: Path) -> FolderSummary:
    """The summary of this folder, by a process with limits; raises BadDefinition or BadRelease as the check does."""
    from benchmarks.definitions.files.schema import BadDefinition, Mistake
    from benchmarks.errors import BadRelease

    limits = (str(SECONDS), str(settings.UPLOAD_MEMORY_MB))
    words = [sys.executable, "-m", "benchmarks.packs.folder_process", str(root), *limits]
    done = subprocess.run(words, cwd=settings.BASE_DIR, stdout=subprocess.PIPE, check=False)  # it ends itself
    if done.returncode:
        raise BadRelease(TOO_MUCH)
    found = json.loads(done.stdout.splitlines()[-1])
    if "mistakes" in found:
        raise BadDefinition([Mistake(*one) for one in found["mistakes"]], found["file"])
    if "refusal" in found:
        raise BadRelease(found["refusal"])
    return FolderSummary(**found)


def summary(root: Path) -> dict[str, Any]:
    """The summary of this folder, its mistakes, or why it is refused; as JSON has it."""
    from benchmarks.definitions.files.schema import BadDefinition
    from benchmarks.errors import BenchmarkError
    from benchmarks.packs.benchmark_files import NAME, read_file
    from benchmarks.packs.folder_check import report_on

    try:
        report = report_on(read_file(root / NAME), root)
    except BadDefinition as error:
        return {
            "mistakes": [(mistake.line, mistake.key, mistake.what) for mistake in error.mistakes],
            "file": error.file,
        }
    except BenchmarkError as error:
        return {"refusal": str(error)}
    except MemoryError:
        return {"refusal": TOO_MUCH}
    names = ("text", "kind", "options", "expected")
    rows = [{name: getattr(row, name) for name in names} for row in report.release.rows[:SHOWN]]
    clips = [clip.path.relative_to(root).as_posix() for clip in report.release.clips]
    return asdict(FolderSummary(list(report.lines), list(report.findings), list(report.release.gaps), rows, clips))


if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "benchsite.settings")
    django.setup()
    limit_memory(int(sys.argv[3]))
    limit_time(int(sys.argv[2]))
    sys.stdout.write(json.dumps(summary(Path(sys.argv[1]))))
