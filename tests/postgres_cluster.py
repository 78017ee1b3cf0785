"""`python -m tests.postgres_cluster COMMAND …` runs a command with a PostgreSQL cluster of its own, gone at its end.

Nothing in it needs to survive a power failure, so it writes nothing through to the disk.
"""

import os
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from tools.bench.load.servers import Postgres

CAREFREE = (
    "fsync=off",
    "full_page_writes=off",
    "synchronous_commit=off",
    "max_connections=300",
    # It would count the rows of tables between two tests, find none, and plan the next test's thousands as one.
    "autovacuum=off",
)


def main(command: list[str]) -> int:
    """The exit code of the command, whose tests use the cluster for their tables and for servers of their own."""
    with TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)  # the user `postgres` enters it
        postgres = Postgres(Path(folder) / "cluster", *CAREFREE)
        try:
            addresses = {"DATABASE_URL": postgres.url, "TEST_POSTGRES_URL": postgres.url}
            return subprocess.call(command, env=os.environ | addresses)
        finally:
            postgres.kill()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
