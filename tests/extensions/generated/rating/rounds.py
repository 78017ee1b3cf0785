"""A round of generated clips: a benchmark whose clips raters answer about, and its pack."""

from itertools import permutations, product

from benchmarks.definitions.files.contradictions import read_text
from benchmarks.definitions.registry import BENCHMARKS
from benchmarks.packs.benchmark_files import definition_of
from extensions.generated.models import ClipSet, GeneratedClip, Generator, Prompt, PromptPack, RatedClip, RatingRound
from tests.factories import make_clip, make_item, make_pack

LEVELS = {"d1": "Plausibility", "d2": "Things stay things", "d3": "Fits the text", "p": "Pairs", "b": "First break"}
TOML = """\
schema = 1
slug = "made"
title = "Made clips"
question = "How good are these clips?"
version = "1"
licence = "CC0"

[[dimensions]]
name = "PC"
title = "Plausibility"
question = "How much of what happens could happen in the real world?"
hint = "whatever the clip was meant to show"
anchors = ["None of it", "Little", "Half", "Most", "All of it"]
level = "d1"

[[dimensions]]
name = "persistence"
question = "Do things stay the things they are?"
hint = "no vanishing, doubling or turning into something else"
anchors = ["Never", "Seldom", "Half the time", "Mostly", "Always"]
level = "d2"

[[dimensions]]
name = "SA"
question = "How much of this is in the clip?"
hint = "things, actions and their order; physics doesn’t matter now"
anchors = ["None of it", "Little", "Half", "Most", "All of it"]
level = "d3"
can_skip = false
shows_prompt = true

[[facets]]
name = "prompt"
title = "Prompt"

[[facets]]
name = "cell"
title = "Cell"
tells = true

[[kinds]]
name = "clip"
answer = "rating"
levels = ["d1", "d2", "d3"]

[[kinds]]
name = "pair"
answer = "pair"
level = "p"

[[kinds]]
name = "triple"
answer = "rating"
levels = ["d1", "d2", "d3"]

[[kinds]]
name = "break"
answer = "break"
level = "b"

[[prompts]]
name = "made-pair"
kinds = ["pair"]
text = "Which is better, a or b?"
"""
TOML += "".join(f'\n[[levels]]\nnumber = "{number}"\ntitle = "{title}"\n' for number, title in LEVELS.items())
TOML += "".join(
    f'\n[[prompts]]\nname = "made-rate-{name}"\nkinds = ["clip"]\nlevel = "{level}"\ntext = "{{question}} 1 to 5?"\n'
    for name, level in (("PC", "d1"), ("persistence", "d2"), ("SA", "d3"))
)
PAGES = (("1", "How do you rate this clip?", ("d1", "d2")), ("2", "A green ball falls behind a screen.", ("d3",)))


def names_of(sets, prompts):
    return [f"s{n}" for n in range(1, sets + 1)], [f"p{n:03}" for n in range(1, prompts + 1)]


def definition(sets, prompts):
    codes, names = names_of(sets, prompts)
    cells = (*(f"{code}.1.{page}" for code, page in product(codes, (1, 2))), "s1-s2.1", "s1-s2-s3.1.1")
    return definition_of(read_text(TOML), {"cell": cells, "prompt": tuple(names), "split": ("all",)})


def make_round(*, sets=2, prompts=3, seconds=2.0, name="round"):
    """The pack, and its clips by (code of the set, prompt)."""
    codes, names = names_of(sets, prompts)
    BENCHMARKS.put_files({"made": definition(sets, prompts)})
    pack = make_pack(benchmark="made", name=name, title="Round")
    clips = {
        (code, prompt): make_clip(pack, key=f"{code}/{prompt}", seconds=seconds, frames=int(25 * seconds))
        for code, prompt in product(codes, names)
    }
    for (code, prompt), clip in clips.items():
        for page, text, levels in PAGES:
            _ask(pack, f"{code}.{prompt}.{page}", "clip", prompt, f"{code}.1.{page}", [clip], levels, text)
        _ask(pack, f"{code}.{prompt}.b", "break", prompt, f"{code}.1.1", [clip], ("b",), "Where does it break?")
    for (left, right), prompt in product(permutations(codes, 2), names):
        both = [clips[left, prompt], clips[right, prompt]]
        _ask(pack, f"{left}-{right}.{prompt}", "pair", prompt, f"{left}-{right}.1", both, ("p",), "Which is better?")
    for (place, code), prompt in product(enumerate(codes if sets > 2 else ()), names):
        three = [code, *(codes[(place + step) % sets] for step in (1, 3 if sets > 3 else 2))]
        for page, text, levels in PAGES:
            beside, cell = [clips[one, prompt] for one in three], f"{'-'.join(three)}.1.{page}"
            _ask(pack, f"{cell}.{prompt}", "triple", prompt, cell, beside, levels, text)
    return pack, clips


def _ask(pack, key, kind, prompt, cell, clips, levels, text):
    options = {"clip": ["1", "2", "3", "4", "5", "na"], "pair": ["a", "b", "equal", "bad", "na"]}
    item = make_item(
        pack,
        key=key,
        kind=kind,
        variant="",
        text=text,
        expected=None,
        answer_kind="pair" if kind == "pair" else "rating",
        options=options.get(kind, ["none", "break", "na"]),
        facets={"level": levels, "prompt": (prompt,), "cell": (cell,), "test": (), "polarity": ()},
    )
    for place, clip in enumerate(clips):
        item.media.create(clip=clip, position=place)
    return item


def name_generators(pack, clips, truth=lambda code, prompt: None):
    """Store whose clips the round shows, and the truth of each by the code of its set and its prompt."""
    prompts = PromptPack.objects.create(slug="made", title="Made")
    rating_round = RatingRound.objects.create(pack=prompts, slug="round", title="Round", questions=pack)
    rows = {}
    for code, prompt in clips:
        generator, _ = Generator.objects.get_or_create(slug=f"maker-{code}", defaults={"title": f"Maker {code}"})
        values = {"pack": prompts, "generator": generator, "title": code, "key": code}
        clip_set, _ = ClipSet.objects.get_or_create(slug=f"set-{code}", defaults=values)
        text, _ = Prompt.objects.get_or_create(pack=prompts, key=prompt)
        facts = {"clip_set": clip_set, "prompt": text, "file": "a.mp4", "sha256": "0" * 64}
        rows[code, prompt] = GeneratedClip.objects.create(**facts, truth=truth(code, prompt))
    for item in pack.items.prefetch_related("media__clip"):
        for use in item.media.all():
            code, prompt = use.clip.key.split("/")
            RatedClip.objects.create(item=item, place=use.position, round=rating_round, clip=rows[code, prompt])
