"""`python -m benchmarks.analysis.child MEGABYTES`: reads one file for annotation, in a process that can be lost.

One JSON line in, {"source", "folder", "seed"}; lines out: {"doing", "done", "total"} as it gets on, at last {"found"}
with the clips that now lie in the folder (N.mp4, N.jpg, N.npy), or {"problem"}. It knows neither database nor secrets.
Who asks is `benchmarks.material.reading`.
"""

import json
import sys
import time
import wave
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.analysis.cutting import LEAST_CLIP, Span, clips_of, shots_of
from benchmarks.analysis.hearing import heard_in
from benchmarks.analysis.noises import RATE, Samples
from benchmarks.analysis.overlaps import coarse
from benchmarks.limits import limit_memory, limit_time
from benchmarks.media_cutting import cut_out, keyframes_of, small_frames
from benchmarks.media_encoding import write_original, write_poster
from benchmarks.media_probing import MEDIA_ERRORS, Limits, UnreadableMedia, VideoFacts, probe
from benchmarks.media_sound import write_wav

OF_VIDEOS = Limits(frames=700_000, seconds=3 * 3600 + 60, gigabytes=8)  # PACS took videos of up to three hours
LONGEST_CLIP = 16.0  # seconds; a longer file is a video, to be cut (the release's longest clip has 15.07 s)
SECONDS_AT_FIRST = 300  # of the processor, for looking into a file
FRAMES_A_SECOND = 10  # at least so many are judged a second; about 45 on one core
SHOW_EVERY = 1.0  # seconds


def main(megabytes: int) -> None:
    limit_memory(megabytes)
    limit_time(SECONDS_AT_FIRST)
    wanted = json.loads(sys.stdin.readline())
    try:
        say(found=read_file(Path(wanted["source"]), Path(wanted["folder"]), wanted["seed"]))
    except MemoryError:  # the decoder's own is one, too; a reader that is lost without a word has a second try
        sys.exit(1)
    except MEDIA_ERRORS as error:
        say(problem=str(error)[:200] or type(error).__name__)


def say(**told: Any) -> None:
    print(json.dumps(told), flush=True)


def read_file(source: Path, folder: Path, seed: int) -> dict[str, Any]:
    """Cut a long video, take a short one as a clip; UnreadableMedia says why the file can't be used at all."""
    say(doing="opening", done=0, total=0)
    facts = probe(source, OF_VIDEOS)
    if not facts.has_sound:
        raise UnreadableMedia("holds no sound")
    if facts.seconds < LEAST_CLIP:
        raise UnreadableMedia(f"is {facts.seconds:.1f} s long: too short, {LEAST_CLIP:.0f} s at least are needed")
    limit_time(SECONDS_AT_FIRST + facts.frames // FRAMES_A_SECOND)
    is_clip = facts.seconds <= LONGEST_CLIP
    spans = [Span(0.0, facts.seconds, 0)] if is_clip else list(cut_video(source, facts, seed))
    if not spans:
        raise UnreadableMedia("no shot of it is 4 s long, or its keyframes lie too far apart to cut it")
    clips = [asdict(span) | made for span, made in zip(spans, written(source, facts, spans, folder), strict=True)]
    return {"seconds": facts.seconds, "fps": facts.fps, "frames": facts.frames, "is_clip": is_clip, "clips": clips}


def cut_video(source: Path, facts: VideoFacts, seed: int) -> list[Span]:
    """The clips of a long video, before any is listened to."""
    from benchmarks.analysis.shots import HEIGHT, WIDTH, cuts_in

    shown = 0.0

    def show(done: int) -> None:
        nonlocal shown
        if time.monotonic() - shown > SHOW_EVERY:
            shown = time.monotonic()
            say(doing="looking for shots", done=done, total=facts.frames)

    cuts = cuts_in(small_frames(source, WIDTH, HEIGHT), facts.fps, show)
    return clips_of(shots_of(cuts, facts.seconds), keyframes_of(source), np.random.default_rng(seed))


def written(source: Path, facts: VideoFacts, spans: list[Span], folder: Path) -> Iterator[dict[str, Any]]:
    """Write each clip with a picture and its coarse sound, and say what is heard in it."""
    from benchmarks.analysis.speech import talking

    for number, span in enumerate(spans):
        say(doing="listening", done=number, total=len(spans))
        clip, raw = folder / f"{number}.mp4", folder / f"{number}.raw.mp4"
        if span.seconds < facts.seconds:
            cut_out(source, raw, span.start, span.end)
            cut = probe(raw)
            write_original(raw, clip, cut)
            raw.unlink()
        else:
            cut = facts
            write_original(source, clip, facts)
        write_poster(clip, folder / f"{number}.jpg")
        samples = sound_of(clip, folder / f"{number}.wav")
        np.save(folder / f"{number}.npy", coarse(samples))
        yield {"seconds": cut.seconds, "width": cut.width, "height": cut.height,
               "heard": asdict(heard_in(samples, talking))}  # fmt: skip


def sound_of(clip: Path, wav: Path) -> Samples:
    """The clip's sound, mono at 16 kHz, from -1 to 1; the file between is gone afterwards."""
    try:
        write_wav(clip, wav, RATE)
        with wave.open(str(wav)) as opened:
            values = np.frombuffer(opened.readframes(opened.getnframes()), dtype=np.int16)
    finally:
        wav.unlink(missing_ok=True)
    return np.asarray(values / 32768.0, dtype=np.float32)


if __name__ == "__main__":
    main(int(sys.argv[1]))
