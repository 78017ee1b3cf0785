"""A classifier with everything but the pictures can't distinguish plausible clips from implausible ones."""

import re
from contextlib import nullcontext

import numpy as np
import pytest

from benchmarks.definitions.registry import BENCHMARKS
from benchmarks.gallery.browse import PER_PAGE
from benchmarks.models import Item, Key
from benchmarks.packs.import_release import import_release
from tests.benchmarks import grasp_release
from tests.benchmarks.grasp_release import write_scene
from tests.factories import answer_to
from tests.markup import compact

CLIPS = 60  # of each answer
DRAWN_ANEW = "X-Request-ID"  # for each request, so chance would have another say in each run
LETTERS = "abcdefghijklmnopqrstuvwxyz234567"
CLIP_ADDRESS = re.compile(r'src="(/media/[^"]+)"(?: poster="(/media/[^"]+)")?[^>]*>.*?items/(\w{12})/', re.DOTALL)


def out_of_fold_scores(features, labels, folds=10):
    """Ridge regression with cross-validated predictions."""
    spread = features.std(axis=0)
    features = (features - features.mean(axis=0))[:, spread > 0] / spread[spread > 0]
    scores = np.zeros(len(labels))
    for fold in range(folds):
        held = np.arange(len(labels)) % folds == fold
        known, target = features[~held], labels[~held] - labels[~held].mean()
        weights = np.linalg.solve(known.T @ known + 10 * np.eye(known.shape[1]), known.T @ target)
        scores[held] = features[held] @ weights
    return scores


def auc_interval(scores, labels):
    """The area under the curve with its 95 % interval (Hanley and McNeil, 1982)."""
    positive, negative = scores[labels == 1], scores[labels == 0]
    pairs = positive[:, None] - negative[None, :]
    auc = ((pairs > 0) + 0.5 * (pairs == 0)).mean()
    q1, q2 = auc / (2 - auc), 2 * auc**2 / (1 + auc)
    n, m = len(positive), len(negative)
    variance = (auc * (1 - auc) + (n - 1) * (q1 - auc**2) + (m - 1) * (q2 - auc**2)) / (n * m)
    return auc - 1.96 * variance**0.5, auc + 1.96 * variance**0.5


def letters(text):
    return [LETTERS.find(letter) for letter in text]


@pytest.fixture(scope="module")
def release(tmp_path_factory):
    """Implausible clips are noisier and so larger, as they could be in a real test."""
    root = tmp_path_factory.mktemp("release")
    write_scene(root, "P_Gravity", CLIPS, noise=16)
    write_scene(root, "IP_Gravity", CLIPS, noise=24)
    return root


@pytest.fixture
def crawled(db, client, release):
    """A crawler's view of every clip, in the order of the pages, and the answer to guess."""
    Key.objects.create(name="media", secret=b"the same in every run, so that chance has its say but once")
    import_release(BENCHMARKS["grasp"], release)
    found = []
    for page in range(1, 2 * CLIPS // PER_PAGE + 1):
        answer = client.get(f"/benchmarks/grasp/items/?kind=plausibility&page={page}")
        found += CLIP_ADDRESS.findall(compact(answer.content.decode()))
    assert len(found) == 2 * CLIPS
    truth = {item.public_id: answer_to(item) for item in Item.objects.all()}
    features = [row_of(client, place, *addresses) for place, addresses in enumerate(found)]
    return np.array(features, float), np.array([truth[public_id] == "yes" for *_, public_id in found], int)


def row_of(client, place, clip, poster, public_id):
    heads = [client.head(address) for address in (clip, poster)]
    told = [
        float(sum(map(ord, f"{name}{value}")))
        for head in heads
        for name, value in sorted(head.headers.items())
        if name not in ("ETag", DRAWN_ANEW)
    ]
    tags = [letter for head in heads for letter in letters(head["ETag"][1:13])]
    sizes = [int(head["Content-Length"]) for head in heads]
    names = letters(clip.removeprefix("/media/")[:26]) + letters(poster.removeprefix("/media/")[:26])
    return [place, *sizes, *names, *letters(public_id), *tags, *told]


def test_the_release_is_encoded_in_zeroed_memory(monkeypatch):
    """Else x264's bytes depend on earlier tests, names on bytes, and the classifier has another chance in each run."""
    entered = []
    monkeypatch.setattr(grasp_release, "zeroed_memory", lambda: nullcontext(entered.append(1)))
    grasp_release._encoded.__wrapped__("P_Gravity", 0, 16, "libx264", 1)
    assert entered == [1]


def test_name_size_headers_order_and_id_do_not_tell_the_answer(crawled):
    features, labels = crawled
    low, high = auc_interval(out_of_fold_scores(features, labels), labels)
    assert low < 0.5 < high, (low, high)


def test_the_same_classifier_finds_the_answer_in_files_as_they_were_made(release):
    """The control: without padding, the size alone would tell."""
    paths = sorted((release / "videos/level2").glob("*/*.mp4"), key=lambda path: path.name)
    features = np.array([[path.stat().st_size] for path in paths], float)
    labels = np.array([path.parent.name.startswith("P_") for path in paths], int)
    low, _ = auc_interval(out_of_fold_scores(features, labels), labels)
    assert low > 0.75
