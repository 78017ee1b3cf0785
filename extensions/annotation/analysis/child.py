"""`python -m extensions.annotation.analysis.child MEGABYTES`: processes one annotation file in a sandboxed process.

Input: one JSON line, {"source", "folder", "seed", "shortest"} (seconds). Output: progress lines {"doing", "done",
"total"}, then {"found"} with the clips written to the folder (N.mp4, N.jpg, N.npy), or {"problem"}. The process has no
access to database or secrets. `extensions.annotation.material.processing` starts it.
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

from benchmarks.encoding.audio import write_wav
from benchmarks.encoding.conform import conform, cut
from benchmarks.encoding.cut import keyframes_of, small_frames
from benchmarks.encoding.limits import limit_memory, limit_time
from benchmarks.encoding.probe import MEDIA_ERRORS, MediaLimits, UnreadableMedia, VideoFacts, probe, reason_of
from benchmarks.encoding.stills import write_poster
from extensions.annotation.analysis.clip_selection import LEAST, Span, clips_of, shots_of
from extensions.annotation.analysis.sound_filter import RATE, Samples, coarse, sound_shares

OF_VIDEOS = MediaLimits(frames=700_000, seconds=3 * 3600 + 60, gigabytes=8)  # PACS used videos of up to three hours
LONGEST_CLIP = 16.0  # seconds; a longer file is cut into clips (the release's longest clip has 15.07 s)
SECONDS_AT_FIRST = 300  # processor time for probing a file
FRAMES_A_SECOND = 10  # lowest expected speed of the analysis; one core reaches about 45
SHOW_EVERY = 1.0  # seconds


def main(megabytes: int) -> None:
    limit_memory(megabytes)
    limit_time(SECONDS_AT_FIRST)
    wanted = json.loads(sys.stdin.readline())
    try:
        source, folder = Path(wanted["source"]), Path(wanted["folder"])
        say(found=read_file(source, folder, wanted["seed"], wanted.get("shortest", LEAST)))
    except MemoryError:  # the decoder raises it, too; a process that ends without a result is tried again
        sys.exit(1)
    except MEDIA_ERRORS as error:
        say(problem=reason_of(error)[:200])


def say(**facts: Any) -> None:
    print(json.dumps(facts), flush=True)


def read_file(source: Path, folder: Path, seed: int, shortest: float) -> dict[str, Any]:
    """Cut a long video, or take a short one as a single clip; raises UnreadableMedia if the file can't be used.

    `shortest` is the minimum length of a clip in seconds.
    """
    say(doing="opening", done=0, total=0)
    facts = probe(source, OF_VIDEOS)
    if not facts.has_sound:
        raise UnreadableMedia("holds no sound")
    if facts.seconds < shortest:
        raise UnreadableMedia(f"is {facts.seconds:.1f} s long: too short, {shortest:g} s at least are needed")
    limit_time(SECONDS_AT_FIRST + facts.frames // FRAMES_A_SECOND)
    is_clip = facts.seconds <= LONGEST_CLIP
    spans = [Span(0.0, facts.seconds, 0)] if is_clip else cut_video(source, facts, seed, shortest)
    if not spans:
        raise UnreadableMedia(f"no shot of it is {shortest:g} s long, or its keyframes lie too far apart to cut it")
    clips = [asdict(span) | made for span, made in zip(spans, written(source, facts, spans, folder), strict=True)]
    return {"seconds": facts.seconds, "fps": facts.fps, "frames": facts.frames, "is_clip": is_clip, "clips": clips}


def cut_video(source: Path, facts: VideoFacts, seed: int, shortest: float) -> list[Span]:
    """The candidate clips of a long video, before their sound is analysed."""
    from extensions.annotation.analysis.shots import HEIGHT, WIDTH, cuts_in

    last_report = 0.0

    def show(done: int) -> None:
        nonlocal last_report
        if time.monotonic() - last_report > SHOW_EVERY:
            last_report = time.monotonic()
            say(doing="looking for shots", done=done, total=facts.frames)

    cuts = cuts_in(small_frames(source, WIDTH, HEIGHT), facts.fps, show)
    shots = shots_of(cuts, facts.seconds, shortest)
    return clips_of(shots, keyframes_of(source), np.random.default_rng(seed), shortest)


def written(source: Path, facts: VideoFacts, spans: list[Span], folder: Path) -> Iterator[dict[str, Any]]:
    """Write each clip with a poster and its coarse sound; yields its facts and sound shares."""
    from extensions.annotation.analysis.speech import talking

    for number, span in enumerate(spans):
        say(doing="listening", done=number, total=len(spans))
        clip, is_part = folder / f"{number}.mp4", span.seconds < facts.seconds
        made = cut(source, clip, facts, span.start, span.end) if is_part else conform(source, clip, OF_VIDEOS)
        write_poster(clip, folder / f"{number}.jpg")
        samples = sound_of(clip, folder / f"{number}.wav")
        np.save(folder / f"{number}.npy", coarse(samples))
        yield {
            "seconds": made.seconds,
            "width": made.width,
            "height": made.height,
            "heard": asdict(sound_shares(samples, talking)),
        }


def sound_of(clip: Path, wav: Path) -> Samples:
    """The clip's sound, mono at 16 kHz, from -1 to 1; `wav` is a temporary file."""
    try:
        write_wav(clip, wav, RATE)
        with wave.open(str(wav)) as opened:
            values = np.frombuffer(opened.readframes(opened.getnframes()), dtype=np.int16)
    finally:
        wav.unlink(missing_ok=True)
    return np.asarray(values / 32768.0, dtype=np.float32)


if __name__ == "__main__":
    main(int(sys.argv[1]))
