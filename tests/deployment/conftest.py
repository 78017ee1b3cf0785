"""The servers that tests of this folder share."""

import pytest

from tests.benchmarks.grasp_release import write_release
from tests.deployment.cluster import running_cluster

OF_PHYSICS = ("P_Gravity", "IP_Gravity", "P_Collision", "IP_Collision")
SCENES = ("ColorRed", "ShapeCube", "DirectionLeft", "TwoObjectOrdering", *OF_PHYSICS)


@pytest.fixture(scope="session")
def cluster(tmp_path_factory):
    """A site on several machines, whose pack `small` has clips that take one second each."""
    with running_cluster(tmp_path_factory.mktemp("cluster")) as cluster:
        release = write_release(tmp_path_factory.mktemp("release"), SCENES, 1)
        done = cluster.manage("import_benchmark", "grasp", str(release), "--pack", "small", "--json")
        assert done.returncode == 0, done.stderr
        yield cluster


@pytest.fixture(scope="session")
def small_site(cluster):
    """The cluster, under the name used by tests of a site on one machine."""
    return cluster
