"""Folders with a benchmark.toml and tiny clips."""

from pathlib import Path

from tests.benchmarks.grasp_release import write_clip

TOML = '''\
schema = 1
slug = "falling"
title = "Falling things"
question = "Does it fall as things fall?"
about = "Made for a test."
version = "1.0"
licence = "CC0"
citation = """
@misc{falling,
  title = {Falling}
}
"""
splits = ["all", "held-out"]
hidden = ["held-out"]

[items]
file = "items.csv"

[[facets]]
name = "scene"
title = "Scene"

[[facets]]
name = "test"
title = "Event"
values = [{ value = "drop", title = "Drop" }, { value = "roll", title = "Roll" }]

[[kinds]]
name = "plausible"
title = "Possible or not"
answer = "yes-no"

[[kinds]]
name = "what"
title = "What happens"
answer = "choice"

[[prompts]]
name = "falling-direct"
title = "direct"
kinds = ["plausible", "what"]
text = "{question}\\nAnswer with one of: {options}"

[[prompts]]
name = "falling-look"
title = "look first"
kinds = ["plausible", "what"]
first = "What do you see?"
text = "{question} ({lead_in})"
parser = "last-answer-line"

[groups]
title = "pair"
rule = "all"
size = 2

[people]
title = "Does it fall?"
kind = "plausible"
invitation = "You are invited to watch short videos of falling things."
instructions = ["Watch each video, then answer."]
answers = 2

[people.labels]
yes = "It can happen"
no = "It can't"

[[published]]
name = "Model of the paper"
source = "Table 1"
prompt = "falling-direct"
figures = { overall = 61.5, drop = 70 }
'''
COLUMNS = "id,clip,kind,question,options,answer,group,place,scene,test,split,lead_in"


def write_folder(root: Path, *, pairs: int = 6, text: str = TOML) -> Path:
    """Write pairs of possible and impossible clips, and a multiple-choice question about each first clip."""
    lines = [COLUMNS]
    for pair in range(pairs):
        scene, test = f"scene-{pair % 3}", ("drop", "roll")[pair % 2]
        for place, answer in ((1, "yes"), (2, "no")):
            clip = f"{pair:02}-{place}.mp4"
            write_clip(root / "clips" / clip, seed=2 * pair + place)
            lines.append(f"{pair}-{place},{clip},plausible,Can this happen?,,{answer},p{pair},{place},{scene},{test},,")
        right = "falls" if pair % 2 else "c"
        what = f"what-{pair},{pair:02}-1.mp4,what,What does it do?,falls|rises|stays,{right}"
        lines.append(f"{what},,,{scene},{test},,say which")
    (root / "items.csv").write_text("\n".join(lines) + "\n")
    (root / "benchmark.toml").write_text(text)
    return root
