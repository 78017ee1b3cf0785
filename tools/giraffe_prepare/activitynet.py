"""ActivityNet Captions: one picture per caption; the last event is to be predicted.

The picture of an event is the moment most similar to its caption (image–text similarity, CLIP in the paper). The paper
gives neither the number of compared moments nor a threshold; the number is ours, and there is no threshold. Events
overlap, but no moment of the context lies in the event to be predicted.
"""

from pathlib import Path
from typing import Any

from benchmarks.errors import BadRelease
from tools.giraffe_prepare.frames import WantedFrame
from tools.giraffe_prepare.items import Draft, Found, Problem, evenly, field_of, read_json, video_of

MOMENTS = 5  # per event, compared with its caption
FEWEST, MOST = 3, 8  # events of an item, including the one to be predicted
NUMBER = (int, float)


def read_activitynet(file: Path, videos: Path | None) -> Found:
    """Items of every video with enough events, in file order."""
    problems: list[Problem] = []
    drafts = []
    for name, row in read_json(file, dict).items():
        events = _events(row, f"{file.name}: {name}", problems)
        if len(events) < FEWEST:
            problems.append((name, f"has {len(events)} usable events; {FEWEST} are needed"))
            continue
        *context, target = events[:MOST]
        seen = [event for event in context if event[0] < target[0]]
        if len(seen) < FEWEST - 1:
            problems.append((name, f"has {len(seen)} events that begin before the last one; {FEWEST - 1} are needed"))
            continue
        drafts.append(_draft(name, seen, target, video_of(videos, name)))
    return Found(tuple(drafts), tuple(problems))


Event = tuple[float, float, str]


def _draft(name: str, context: list[Event], target: Event, video: Path) -> Draft:
    begins, _, truth = target
    captions = [caption for _, _, caption in context]
    return Draft(
        id=f"activitynet/{name}",
        dataset="activitynet",
        fields={
            "captions": "\n".join(f"{number}. {caption}" for number, caption in enumerate(captions, start=1)),
            "truth": truth,
            "descriptions": captions,
        },
        images=tuple(
            WantedFrame(video, evenly(start, min(end, begins), MOMENTS), caption) for start, end, caption in context
        ),
        video=video,
        until=begins,
    )


def _events(row: Any, where: str, problems: list[Problem]) -> list[Event]:
    """The events by start time; unusable ones are left out and added to `problems`."""
    duration = float(field_of(row, "duration", float, where))
    times, sentences = field_of(row, "timestamps", list, where), field_of(row, "sentences", list, where)
    if len(times) != len(sentences):
        raise BadRelease(f"{where}: {len(times)} timestamps and {len(sentences)} sentences")
    found = []
    for number, (pair, sentence) in enumerate(zip(times, sentences, strict=True), start=1):
        if not isinstance(sentence, str) or not _is_pair(pair):
            raise BadRelease(f"{where}: event {number} must be two seconds and a sentence")
        start, end, caption = float(min(pair)), min(float(max(pair)), duration), " ".join(sentence.split())
        if not caption or end - start <= 0:
            problems.append((where, f"event {number} is empty"))
        else:
            found.append((start, end, caption))
    found.sort(key=lambda event: event[:2])
    while found and found[-1][0] <= 0:  # it begins with the video, so nothing precedes it
        problems.append((where, f"the last event begins with the video: {found.pop()[2][:60]!r}"))
    return found


def _is_pair(pair: Any) -> bool:
    return (
        isinstance(pair, list)
        and len(pair) == 2
        and all(isinstance(value, NUMBER) and not isinstance(value, bool) for value in pair)
    )
