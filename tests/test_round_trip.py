"""From generated clips to a playable pack: generate, audit, import, import again, refuse changed content."""

import json
import re
import shutil

import pytest

pytestmark = [pytest.mark.render, pytest.mark.worker, pytest.mark.browser]
CLIPS = 8
# Two questions per Level-1 clip and an open one if the test has it, one per Level-2 clip, and the text-only items.
ITEMS = 4 * 2 + 3 + 4 + 28 + 32
PLAYS = """async (address) => {
  const video = document.createElement("video");
  video.muted = true; video.src = address; document.body.append(video);
  const heard = (name) => new Promise((resolve, reject) => {
    video.addEventListener(name, resolve, {once: true});
    video.addEventListener("error", () => reject(new Error(video.error.message)), {once: true});
  });
  const shown = new Promise((resolve) => video.requestVideoFrameCallback(resolve));
  await video.play(); await shown;
  const seeked = heard("seeked"); video.currentTime = 3; await seeked;
  const report = {duration: video.duration, at: video.currentTime, width: video.videoWidth};
  video.remove();
  return report;
}"""


def told(done) -> dict:
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_the_same_import_again_changes_nothing_and_counts_are_equal_on_both_sides(small_release, small_site):
    assert len(list((small_release / "videos").rglob("*.mp4"))) == CLIPS
    report = told(small_site.manage("import_benchmark", "grasp", str(small_release), "--pack", "small", "--json"))
    assert (report["clips"], report["items"], report["problems"]) == (CLIPS, ITEMS, [])


def test_the_audit_has_no_finding(small_release, small_site):
    report = told(small_site.manage("check_benchmark", "--audit", "grasp", str(small_release), "--json"))
    assert report == {"clips": CLIPS, "findings": []}


def test_a_changed_file_under_the_same_pack_is_refused_by_name(small_release, small_site, tmp_path):
    changed = tmp_path / "changed"
    shutil.copytree(small_release, changed)
    shutil.copy(changed / "videos/level2/P_Gravity/000.mp4", changed / "videos/level2/IP_Gravity/000.mp4")
    done = small_site.manage("import_benchmark", "grasp", str(changed), "--pack", "small")
    assert done.returncode == 2
    assert "IP_Gravity/000" in done.stderr
    assert "Traceback" not in done.stderr


def test_every_clip_plays_and_seeks_in_chromium(small_site, chromium):
    listing = small_site.page("/benchmarks/grasp/items/?pack=small&kind=plausibility") + small_site.page(
        "/benchmarks/grasp/items/?pack=small&kind=binary"
    )
    addresses = sorted({word for word in re.split("[\"']", listing) if re.fullmatch(r"/media/\w+\.mp4(#.*)?", word)})
    assert len(addresses) == CLIPS
    page = chromium.new_page()
    page.goto(small_site.address + "/benchmarks/grasp/")
    reports = [page.evaluate(PLAYS, address) for address in addresses]
    page.close()
    assert all(report["width"] == 320 and 3.9 <= report["duration"] <= 10.1 for report in reports)
    assert all(report["at"] == pytest.approx(3, abs=0.05) for report in reports)
