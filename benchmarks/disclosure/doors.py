"""Who may see the files of a clip: its policy, its withdrawal, and the facts of all items that show it."""

from collections.abc import Collection

from django.core.signing import BadSignature, TimestampSigner
from django.db.models import QuerySet

from benchmarks.definitions.registry import find_benchmark
from benchmarks.disclosure.readers import PUBLIC, Fact, Reader, open_to
from benchmarks.models.clips import Clip, Rendition, RenditionKind
from benchmarks.models.items import Item, ItemMedia
from benchmarks.models.packs import Origin, Pack
from benchmarks.policy import KEEP

SIGNER = TimestampSigner(salt="clips of hidden splits")
SIGNED_FOR = KEEP["signed addresses"].period


def policy_of(pack: Pack) -> str:
    """Who may see the clips; the definition has one policy for generated packs and one for official packs."""
    benchmark = find_benchmark(pack.benchmark)
    is_made = pack.origin == Origin.GENERATED
    return (benchmark.made_policy if is_made else "") or benchmark.media_policy


def signed_address(rendition: Rendition) -> str:
    """The file's URL, signed for 24 hours, for users who may have the clips of a hidden split."""
    _name, _colon, signature = SIGNER.sign(rendition.name).partition(":")
    return f"{rendition.get_absolute_url()}?signed={signature}"


def is_signed(rendition: Rendition, signature: str) -> bool:
    """Whether the signature belongs to this file and is less than 24 hours old."""
    try:
        SIGNER.unsign(f"{rendition.name}:{signature}", max_age=SIGNED_FOR)
    except BadSignature:
        return False
    return True


def clips_of_hidden_splits(pack: Pack) -> frozenset[int]:
    """Ids of clips that are closed to the public only because of a withheld answer; a signed URL opens them."""
    if policy_of(pack) != "public":
        return frozenset()
    withheld = Item.objects.filter(open_to(PUBLIC, Fact.EXISTENCE), pack=pack).exclude(open_to(PUBLIC, Fact.ANSWER))
    return frozenset(Clip.objects.filter(pack=pack, uses__item__in=withheld).values_list("pk", flat=True))


def public_files(pack: Pack) -> QuerySet[Rendition]:
    """The public videos and pictures of a pack, in the order of their opaque names."""
    if policy_of(pack) != "public":
        return Rendition.objects.none()
    closed = Item.objects.filter(pack=pack).exclude(open_to(PUBLIC, Fact.ANSWER)).order_by().values("pk")
    clips = Clip.objects.filter(pack=pack, withdrawn_at__isnull=True, problem="").exclude(uses__item__in=closed)
    kinds = (RenditionKind.ORIGINAL, RenditionKind.PICTURE)
    return Rendition.objects.filter(clip__in=clips.values("pk"), kind__in=kinds).order_by("name")


def closed_among(clips: Collection[Clip]) -> dict[int, bool]:
    """Ids of the clips that one of their items closes to the public; True if that item belongs to an open study."""
    uses = ItemMedia.objects.filter(clip__in=clips).exclude(open_to(PUBLIC, Fact.ANSWER, "item"))
    found: dict[int, bool] = {}
    rows = uses.annotate(is_sealed=~open_to(PUBLIC, Fact.EXISTENCE, "item")).order_by()
    for clip, is_sealed in rows.values_list("clip_id", "is_sealed"):
        found[clip] = found.get(clip, False) or is_sealed
    return found


def is_open_to(rendition: Rendition, *, to: Reader = PUBLIC, is_signed: bool = False) -> bool:
    """Whether the reader may see this file, with a signed URL or without one.

    A signed URL opens clips of a hidden split, where only the answers are secret, but never clips of an open study.
    """
    clip = rendition.clip
    policy = policy_of(clip.pack)
    if clip.withdrawn_at or policy == "none":
        return False
    if to.is_staff or policy != "public":
        return to.is_staff
    fact = Fact.EXISTENCE if is_signed else Fact.ANSWER
    return not Item.objects.filter(media__clip=clip).exclude(open_to(to, fact)).exists()
