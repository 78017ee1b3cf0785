import pytest

from extensions.generated.made.clips import MadeOrder
from extensions.generated.made.folders import make_folders

ORDER = MadeOrder(prompts=3, takes=2, size=(160, 120), width=160)


@pytest.fixture(scope="session")
def scenes_root(tmp_path_factory):
    return tmp_path_factory.mktemp("scenes")


@pytest.fixture(scope="session")
def folders(scenes_root, tmp_path_factory):
    """A small prompt pack and its clip sets."""
    out = tmp_path_factory.mktemp("made") / "folders"
    make_folders(ORDER, scenes_root, out, jobs=1, progress=lambda done, of: None)
    return out
