"""ActivityNet Captions: one picture for each caption, none from the event to be predicted."""

import json

import pytest
import torch

from benchmarks.definitions.registry import BENCHMARKS
from benchmarks.errors import BadRelease
from benchmarks.packs.import_release import import_release
from tests.tools.giraffe_prepare.upstream_files import captions, grey, prepared, records_of, write_video
from tools.giraffe_prepare.activitynet import read_activitynet


@pytest.mark.django_db
def test_activitynet_finds_a_picture_for_each_caption(tmp_path, capsys):
    from tests.evaluation.adapters.test_similarity import clip_model

    torch.manual_seed(3)
    model, processor = clip_model()
    model.save_pretrained(tmp_path / "clip")
    processor.save_pretrained(tmp_path / "clip")
    write_video(tmp_path / "videos" / "v_abc.mp4", 12)
    (tmp_path / "val_1.json").write_text(json.dumps({"v_abc": captions(), "v_none": captions()}))
    source, videos, clip = tmp_path / "val_1.json", tmp_path / "videos", tmp_path / "clip"
    notes = prepared(capsys, "activitynet", source, "--videos", videos, "--matcher", clip, "--out", tmp_path / "out")
    missing = [note for note in notes if note.startswith("activitynet/")]  # transformers writes lines of its own
    assert len(missing) == 3
    assert all(note.startswith("activitynet/v_none: ") for note in missing)
    record = records_of(tmp_path / "out")[0]
    assert record["captions"] == "1. A man holds a red object.\n2. He lifts it."
    assert (record["truth"], len(record["images"])) == ("He drops it.", 2)
    seen = [grey(tmp_path / "out" / path) // 2 / 10 for path in record["images"]]
    assert 0 <= seen[0] <= 4 <= seen[1] <= 8
    pack = import_release(BENCHMARKS["giraffe"], tmp_path / "out", pack_name="captions").pack
    assert pack.items.filter(key="activitynet/v_abc").count() == 3


def test_activitynet_without_a_matcher_says_what_it_lacks(tmp_path, capsys):
    write_video(tmp_path / "videos" / "v_abc.mp4", 12)
    (tmp_path / "val_1.json").write_text(json.dumps({"v_abc": captions()}))
    source, videos = tmp_path / "val_1.json", tmp_path / "videos"
    notes = prepared(capsys, "activitynet", source, "--videos", videos, "--out", tmp_path / "out")
    assert "name its folder with --matcher" in notes[0]


@pytest.mark.parametrize(
    ("values", "count", "what"),
    [
        ({"timestamps": [[8, 12], [0, 4], [4, 8]]}, 1, ""),  # in any order
        ({"timestamps": [[4, 0], [4, 8], [8, 12]]}, 1, ""),  # end before start
        ({"timestamps": [[0, 4], [4, 8], [12, 12]]}, 0, "event 3 is empty"),
        ({"timestamps": [[0, 4], [4, 8], [13, 20]]}, 0, "event 3 is empty"),  # after the end of the video
        ({"sentences": ["A.", " ", "C."]}, 0, "event 2 is empty"),
        ({"timestamps": [[0, 4], [4, 8]], "sentences": ["A.", "B."]}, 0, "has 2 usable events; 3 are needed"),
        ({"timestamps": [[0, 4], [0, 8], [0, 12]]}, 0, "begins with the video"),
        ({"timestamps": [[0, 4], [8, 10], [8, 12]]}, 0, "has 1 events that begin before the last one; 2 are needed"),
    ],
)
def test_odd_events_of_activitynet(tmp_path, values, count, what):
    (tmp_path / "a.json").write_text(json.dumps({"v_abc": captions(**values)}))
    found = read_activitynet(tmp_path / "a.json", None)
    assert len(found.drafts) == count
    assert any(what in problem for _, problem in found.problems) or not what
    if count and values["timestamps"][0][0] == 8:
        assert found.drafts[0].fields["truth"] == "A man holds a red object."


def test_no_picture_of_activitynet_comes_from_the_event_to_be_predicted(tmp_path):
    (tmp_path / "a.json").write_text(json.dumps({"v_abc": captions(timestamps=[[0, 12], [4, 11], [8, 12]])}))
    (draft,) = read_activitynet(tmp_path / "a.json", None).drafts
    assert draft.until == 8
    assert [max(picture.moments) for picture in draft.images] == [7.2, 7.6]


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ({"duration": "long"}, "a.json: v_abc: duration must be a number"),
        ({"timestamps": [[0, 4]]}, "1 timestamps and 3 sentences"),
        ({"timestamps": [[0, 4], [4], [8, 12]]}, "event 2 must be two seconds and a sentence"),
        ({"sentences": [1, 2, 3]}, "event 1 must be"),
    ],
)
def test_a_wrong_record_of_activitynet_is_named(tmp_path, values, said):
    (tmp_path / "a.json").write_text(json.dumps({"v_abc": captions(**values)}))
    with pytest.raises(BadRelease, match=said):
        read_activitynet(tmp_path / "a.json", None)
