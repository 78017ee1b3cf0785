"""A pack as one public archive: clips, questions, answers, scorer, README and a Croissant description.

It holds only content of public pages: no item or clip of an open study, no withheld answer, and no clip that may not be
shown to everybody. The archive is not stored; it is built from the database at each request.
"""

import hashlib
import json
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

from django.conf import settings

from benchmarks.definitions.definition import Benchmark
from benchmarks.disclosure import PUBLIC, Fact, open_answers, open_to, with_expected
from benchmarks.disclosure.doors import policy_of, public_files
from benchmarks.gallery.page_cache import cached_body
from benchmarks.models import Clip, Item, ItemQuerySet, Pack
from benchmarks.packs.export import as_lines, item_rows, template_rows
from benchmarks.storage.ranged_responses import Member, TarStream, text_member
from benchmarks.storage.store import clip_name, store
from evaluation.parsing import PARSERS
from leaderboard.publications.citable import RENDERINGS, of_pack
from leaderboard.publications.croissant import croissant_of

ANSWERED = ("yes-no", "label", "number", "moment")  # answers that a rule scores
STORED = "stored clips"  # cached beside the files, not itself a file: a clip without its file is left out
ROOT = Path(settings.BASE_DIR)
SCORER = (
    "evaluation/parsing",
    "evaluation/replies",
    "measures/scores/parsed_answers.py",
    "measures/scores/scoring.py",
    "measures/scores/number_answers.py",
    "measures/__init__.py",
)

README = """\
# {title}: {pack}

{about}

* `items.jsonl`: one question a line, {items} in all. `text` is the exact prompt; `lead_in` is what chain-of-thought
  asks first. `clip` is null for questions in words alone and for clips that may not be passed on.
* `answers.jsonl`: the expected answer of {answers} questions. **Keep it from what you train on.**
* `clips/`: {clips} videos or pictures, under names that tell nothing. They are padded to one size.
* `submission-template-STRATEGY.jsonl`: fill in `model` and every `reply` (what the model said), or write `answer`
  instead (what it means). `python scorer/score_replies.py FILE` scores it here, without anything to install; upload the
  same file to {address} to stand on the board.
* `croissant.json`: what is in here, in the Croissant format. `CITATION.bib`: what to cite; `CITATION.cff`,
  `datacite.json` and `.zenodo.json` for an archive that gives a DOI, if the clips may be passed on.
* `SHA256SUMS`: check with `sha256sum -c SHA256SUMS`.

Definition {version}, pack hash {manifest}.

{kept_back}
Licence of the benchmark's code and prompts: {licence}. {media}
"""


def archive_of(benchmark: Benchmark, pack: Pack) -> tuple[TarStream, str]:
    """The archive of the pack's current public content, and a tag that changes with it."""
    root = f"{benchmark.slug}-{pack.name}"
    texts = _texts(benchmark, pack)
    stored = set(texts.pop(STORED).decode().split())
    clips = [clip for clip in public_files(pack) if clip.name in stored]
    sums = {name: hashlib.sha256(content).hexdigest() for name, content in texts.items()}
    sums |= {f"clips/{clip.name}": clip.sha256 for clip in clips}
    listed = "".join(f"{digest}  {name}\n" for name, digest in sums.items()).encode()
    members = [text_member(f"{root}/{name}", content) for name, content in {**texts, "SHA256SUMS": listed}.items()]
    members += [
        Member(f"{root}/clips/{clip.name}", clip.size, partial(store().pieces, clip_name(clip.name))) for clip in clips
    ]
    return TarStream(members), hashlib.sha256(listed).hexdigest()[:20]


def offered_items(pack: Pack) -> ItemQuerySet:
    """The questions of the pack that everybody may see."""
    items: ItemQuerySet = Item.objects.filter(pack=pack)
    return items.askable().filter(open_to(PUBLIC, Fact.EXISTENCE))


def _texts(benchmark: Benchmark, pack: Pack) -> dict[str, bytes]:
    """Name -> content of every file but the clips; cached until an item, a clip or a seal of the pack changes."""

    def written() -> str:
        return json.dumps({name: content.decode() for name, content in _written(benchmark, pack)})

    version = f"{_state(pack)} {benchmark.version} {settings.SITE_URL}"
    texts = cached_body(f"archive of pack {pack.pk}", version=version, make=written)
    return {name: text.encode() for name, text in json.loads(texts).items()}


def _state(pack: Pack) -> str:
    """A hash over everything that decides what is public: ids, seals, withheld answers, withdrawn clips."""
    facts = {fact.name: open_to(PUBLIC, fact) for fact in Fact}
    items = with_expected(Item.objects.filter(pack=pack).annotate(**facts), to=PUBLIC)
    rows = items.order_by("pk").values_list("pk", "public_id", "expected", *facts)
    clips = Clip.objects.filter(pack=pack).order_by("pk").values_list("pk", "withdrawn_at", "problem")
    return hashlib.sha256(repr([pack.manifest_hash, *rows, *clips]).encode()).hexdigest()


def _written(benchmark: Benchmark, pack: Pack) -> Iterator[tuple[str, bytes]]:
    open_clips = {clip.name for clip in public_files(pack) if store().size(clip_name(clip.name)) == clip.size}
    yield STORED, " ".join(open_clips).encode()
    items = offered_items(pack)
    questions = "".join(as_lines(item_rows(items, lambda one: f"clips/{one.name}" if one.name in open_clips else None)))
    answers = "".join(as_lines(answer_rows(items)))
    counts = {"items": questions.count("\n"), "answers": answers.count("\n"), "clips": len(open_clips)}
    yield "README.md", _readme(benchmark, pack, counts).encode()
    yield "CITATION.bib", benchmark.citation.encode()
    yield "items.jsonl", questions.encode()
    yield "answers.jsonl", answers.encode()
    for strategy in benchmark.strategies:
        lines = as_lines(template_rows(pack, strategy, items))
        yield f"submission-template-{strategy.name}.jsonl", "".join(lines).encode()
    yield from _scorer(benchmark)
    files = {"items.jsonl": questions.encode(), "answers.jsonl": answers.encode()}
    cited = of_pack(benchmark, pack)
    described = croissant_of(cited, benchmark.citation, files, has_clips=bool(open_clips))
    yield "croissant.json", json.dumps(described, indent=1, ensure_ascii=False).encode()
    if policy_of(pack) == "public":
        yield from ((name, write(cited).encode()) for write, name, _type in RENDERINGS.values())


def answer_rows(items: ItemQuerySet) -> Iterator[dict[str, Any]]:
    """The expected answers that pages show, with the test that parsers need."""
    found = items.filter(open_to(PUBLIC, Fact.ANSWER), answer_kind__in=ANSWERED).order_by("public_id")
    known = open_answers(found.values_list("pk", flat=True), to=PUBLIC)
    for item in found.prefetch_related("facets").iterator(chunk_size=2000):
        yield {"item": item.public_id, "test": item.own_test, "expected": known[item.pk].expected}


def _scorer(benchmark: Benchmark) -> Iterator[tuple[str, bytes]]:
    """The modules of this site that parse and score replies, and each strategy's parser."""
    parsers = {one.name: benchmark.parser_of(one.name) for one in benchmark.strategies if not one.is_of_own_kind}
    known = {strategy: [name, PARSERS[name].version] for strategy, name in parsers.items()}
    yield "scorer/parsers.json", json.dumps(known, indent=1).encode()
    yield "scorer/score_replies.py", (Path(__file__).parent / "score_replies.py").read_bytes()
    yield from scorer_modules()


def scorer_modules() -> Iterator[tuple[str, bytes]]:
    """The modules that parse and score replies, with their licence; they need only Python 3.11."""
    yield "scorer/evaluation/__init__.py", b""
    for place in SCORER:
        for path in sorted((ROOT / place).glob("*.py")) if (ROOT / place).is_dir() else [ROOT / place]:
            yield f"scorer/{path.relative_to(ROOT).as_posix()}", path.read_bytes()
    yield "scorer/LICENSE", (settings.FILES_DIR / "LICENSE").read_bytes()


def _readme(benchmark: Benchmark, pack: Pack, counts: dict[str, int]) -> str:
    every = Item.objects.filter(pack=pack)
    withheld = {
        "questions of a study that is open": every.count() - every.filter(open_to(PUBLIC, Fact.EXISTENCE)).count(),
        "questions with a clip that was withdrawn or is broken": every.filter(open_to(PUBLIC, Fact.EXISTENCE)).count()
        - counts["items"],
        "answers that are withheld": offered_items(pack).exclude(open_to(PUBLIC, Fact.ANSWER)).count(),
    }
    left_out = [f"{count} {what}" for what, count in withheld.items() if count]
    return README.format(
        title=benchmark.title,
        pack=pack.title,
        about=benchmark.about,
        address=settings.SITE_URL,
        version=pack.definition_version,
        manifest=pack.manifest_hash,
        kept_back=f"Left out: {', '.join(left_out)}.\n" if left_out else "",
        licence=benchmark.licence,
        media=""
        if policy_of(pack) == "public"
        else "The clips are not included: they belong to others and may not be redistributed.",
        **counts,
    )
