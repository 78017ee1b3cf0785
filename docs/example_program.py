"""A program for the adapter `command`: it needs Python alone, and answers whether anything changes in what it is shown.

Replace `answer` by your model. Everything else can stay.
"""

import json
import sys
import wave
from pathlib import Path


def answer(turns, *, seed, max_new_tokens, temperature):
    """The text of the next reply. `turns` is the conversation so far, the question last."""
    frames = [path for turn in turns for path in turn["frames"]]
    audio = [turn["audio"] for turn in turns if turn["audio"]]
    if not frames and not audio:
        raise ValueError("nothing was shown")
    if audio and not frames:
        with wave.open(audio[-1]) as sound:
            return f"I hear {sound.getnframes() / sound.getframerate():.1f} seconds of sound."
    pictures = {Path(path).read_bytes() for path in frames}
    return "Yes" if len(pictures) > 1 else "No"


def main():
    replies = sys.stdout
    sys.stdout = sys.stderr  # libraries like to print; standard output belongs to the answers
    for line in sys.stdin:  # the end of input ends the program
        question = json.loads(line)
        number = question.pop("id")
        try:
            reply = {"id": number, "text": answer(question.pop("turns"), **question)}
        except Exception as error:
            reply = {"id": number, "error": f"{type(error).__name__}: {error}"}
        print(json.dumps(reply), file=replies, flush=True)


if __name__ == "__main__":
    main()
