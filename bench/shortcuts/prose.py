"""Texts of the page."""

HEAD = """# GRASP: what the clips give away

A clip of [Level 2](grasp.md) is to be judged by what happens in it. This page says how well a classifier does
that sees only a part: the drawn parameters, the size of the file, its length, what the ground truth says of its
telltale, the first frame or the last. Areas under the ROC curve; 0.50 is chance, 1.00 is a shortcut that gives the
answer. The last column is the opposite: a classifier that follows what moves through the whole clip should be above
chance, or else nothing could be learnt from so few clips at all.

Written by `python -m bench.shortcuts`; last on {date}."""

HOW = """## How it was measured

* **Clips.** Made by `generate_benchmark`'s own code, audit and redraws included, from a seed that no pack uses:
  256 clips a class, 128 for frames, or as few as `n` says. Staged as now (4 to 10 s), drawn in look `plain`: 96 × 72
  pixels, 5 frames a second, one sample a pixel.
  File sizes are of these small files, before they are padded to one size on import.
* **Parameters.** All that the generator says it drew, the camera, the lamps, and size, colour and material of
  every body in view at the start.
* **Frames.** The first and the last state, drawn anew: not through the encoder.
* **Telltale.** Its frames, seconds, pixels, contrast, peak and whether it lasts, as the ground truth has them.
* **Whole clip.** All frames of the encoded file: at 16 moments the place, spread, size and colour of what differs
  from the frame before and of what differs from the first frame, and how that of the clip's last third differs from
  its first third's. The picture is mirrored where the first motion is on the right. And of what moves first, known by
  its colour: its course, how far it comes to rest from where it was going, and the picture round that place, turned
  so that it came from above. These were chosen on clips of another seed.
  On `corrected`, tests 4, 9, 10 and 12 were measured with lower thresholds for what moves. After later changes of
  other looks and of speed, two clips of every folder were made by the code before and after: equal to the byte, with
  equal facts.
* **Classifiers.** Numbers: logistic regression and extremely randomised trees. Frames: logistic regression on 24
  principal components and a small convolutional network. Whole clip: as for numbers, and logistic regression on 24
  components of that picture. Where there are several, their probabilities are averaged; nothing was chosen by its
  result.
* **Pairs.** Clip k of both folders shares its draws, so the two are no independent observations. Both lie in the
  same of five folds, and the interval takes the pair as its unit: within a pair, all that the answer does not
  change cancels, and a small difference is found sooner than with independent clips. Where the two clips of every
  pair look alike to a classifier, the area is exactly 0.50 and has no interval.
* **Intervals** of 95 % and p-values against 0.5: DeLong's variance within a fold, summed over folds as in LeDell
  et al. (2015) and over pairs as in Obuchowski (1997), widened for what learning adds by Nadeau & Bengio's (2003)
  correction, on the scale of log odds (`measures/roc.py`). Holm's adjustment over all cells of a profile but those
  named beforehand; the whole-clip column is a family of its own.
* **Target** on `corrected`: p after Holm at least 0.05 and the upper limit below 0.65, in every cell but those
  named beforehand (○). In both profiles, **bold**: differs from chance after Holm. ▲: does not, but the upper limit
  is 0.65 or more, so that too few clips were measured to exclude a shortcut. ‡: measured before the last change of
  the code that makes this test's clips."""

PROFILES = {
    "corrected": "The default: defects of the published generator mended.",
    "faithful": (
        "The published generator with its quirks. What is bold here is why the other profile exists. With 256 clips a"
        " class, measured on earlier code, four more cells differed: drawn parameters and first frame of"
        " `Unchangeableness2` (0.59 and 0.58), the last frame of `ObjectPermanence3` (0.71) and the drawn parameters of"
        " `Continuity` (0.74)."
    ),
}
