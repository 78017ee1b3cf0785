"""Servers that several tests of this folder lean on."""

import pytest

from tests.benchmarks.release import write_release
from tests.machines.cluster import running_cluster

SCENES = (
    "ColorRed", "ShapeCube", "DirectionLeft", "TwoObjectOrdering",
    "P_Gravity", "IP_Gravity", "P_Collision", "IP_Collision",
)  # fmt: skip


@pytest.fixture(scope="session")
def cluster(tmp_path_factory):
    """A site on several machines whose pack `small` holds clips that take a second each."""
    with running_cluster(tmp_path_factory.mktemp("cluster")) as cluster:
        release = write_release(tmp_path_factory.mktemp("release"), SCENES, 1)
        done = cluster.manage("import_benchmark", "grasp", str(release), "--pack", "small", "--json")
        assert done.returncode == 0, done.stderr
        yield cluster


@pytest.fixture(scope="session")
def small_site(cluster):
    """For tests that were written for a site on one machine."""
    return cluster
