"""Converts a conversation into messages of OpenAI's chat completions, with frames and sound in them."""

import base64
from typing import Any

from evaluation.adapters.base import Frames, Turn
from evaluation.adapters.dialogue import Dialogue
from evaluation.adapters.media_encoding import picture_bytes, wav_bytes
from evaluation.adapters.openai.options import ADDRESS, VIDEO, ServerOptions

Part = dict[str, Any]


def messages(dialogue: Dialogue, options: ServerOptions) -> list[dict[str, Any]]:
    """The messages up to the next reply, after the system prompt if there is one."""
    system = dialogue.request.system or options.system
    merged = dialogue.messages_of(lambda turn: _parts(turn, options))
    first = [{"role": "system", "content": system}] if system else []
    return first + [message | {"content": _joined(message["content"])} for message in merged]


def _parts(turn: Turn, options: ServerOptions) -> list[Part]:
    """The parts of a turn: frames, sound, then text."""
    visual = _media_parts(turn.frames, options) if turn.frames else []
    audio = [_sound(wav_bytes(turn.audio))] if turn.audio else []
    return [*visual, *audio, {"type": "text", "text": turn.text}]


def _media_parts(frames: Frames, options: ServerOptions) -> list[Part]:
    if frames.address:
        return [{"type": "video_url", "video_url": {"url": frames.address}}]
    pictures = [
        base64.b64encode(picture_bytes(picture, options.image_format)).decode("ascii") for picture in frames.pixels
    ]
    if options.frames_as == VIDEO and not frames.is_still:  # comma-separated frames, as vLLM reads them
        return [{"type": "video_url", "video_url": {"url": f"data:video/jpeg;base64,{','.join(pictures)}"}}]
    images = [
        {"type": "image_url", "image_url": {"url": f"data:image/{options.image_format};base64,{picture}"}}
        for picture in pictures
    ]
    if not options.times or frames.is_still:
        return images
    # In ascending order: for shuffled frames, each one's true time would reveal the order.
    labels = [{"type": "text", "text": f"{seconds:.2f} s"} for seconds in sorted(frames.times)]
    return [part for pair in zip(labels, images, strict=True) for part in pair]


def times_of_videos(dialogue: Dialogue, options: ServerOptions) -> dict[str, Any]:
    """The request field with the times of a video's frames for vLLM; empty if they can't be sent.

    One field applies to all videos of a request, so it is left out if their times differ.
    """
    if options.frames_as == ADDRESS:
        counts = {len(turn.frames) for _, turn in dialogue.next_turns() if turn.frames and turn.frames.address}
        return {"media_io_kwargs": {VIDEO: {"num_frames": counts.pop()}}} if len(counts) == 1 else {}
    if options.frames_as != VIDEO or not options.times:
        return {}
    videos = [turn.frames for _, turn in dialogue.next_turns() if turn.frames and not turn.frames.is_still]
    times = [_times(frames) for frames in videos]
    return {"media_io_kwargs": {VIDEO: times[0]}} if times and all(time == times[0] for time in times) else {}


def _times(frames: Frames) -> dict[str, Any]:
    """Metadata of the frames as vLLM takes them: `total_num_frames` is never less than the number of frames shown."""
    own = frames.metadata
    return own | {"total_num_frames": max(own["total_num_frames"], len(frames)), "num_frames": len(frames)}


def _sound(wav: bytes) -> Part:
    return {"type": "input_audio", "input_audio": {"data": base64.b64encode(wav).decode("ascii"), "format": "wav"}}


def _joined(content: list[Part]) -> list[Part] | str:
    """The content without empty texts, or a plain string if it is only text, as servers of text models require."""
    parts = [part for part in content if part.get("text") != ""]
    return parts if any(part["type"] != "text" for part in parts) else "\n".join(part["text"] for part in parts)


def without_media(part: Any) -> Any:
    """The messages with every image, video and sound replaced by its length."""
    if isinstance(part, list):
        return [without_media(each) for each in part]
    if isinstance(part, dict):
        is_sound = "format" in part
        return {
            name: f"{len(value)} characters" if is_sound and name == "data" else without_media(value)
            for name, value in part.items()
        }
    if isinstance(part, str) and part.startswith("data:"):
        kind, _, content = part.partition(",")
        return f"{kind}, {len(content)} characters"
    return part


def media_form(options: ServerOptions) -> str:
    """The form in which the model is shown media."""
    if options.frames_as == ADDRESS:
        return "the file of the clip, of which the server takes as many frames as the run says, by its own rule"
    if options.frames_as == VIDEO:
        times = " with their times where a request's videos share them" if options.times else ""
        return f"video part of jpeg frames{times}; a picture of its own as an image"
    return f"{options.image_format} images{'; frames of a clip with their times' if options.times else ''}"
