"""The attacks, with the targets that each is tried on; each returns guesses for as many items as it can."""

from collections.abc import Callable

from tests.seals.attacker import Attacker, Target
from tests.seals.ways import clips, ids, listings, lists, people

Way = Callable[[Attacker, Target], dict[str, str] | None]

SEALED, WITHHELD, HIDDEN = "sealed", "withheld", "hidden"
ALL = (SEALED, WITHHELD, HIDDEN)
OF_SEATS: tuple[Way, ...] = (  # these guess slots of sheets
    people.design_from_the_source,
    people.files_of_seats,
    people.first_pictures,
)
# The targets of each attack in `make test`, within about a minute; the parts `seals-sqlite` and `seals-postgres` of
# `make soak` try all on all. Costly attacks of which `make test` tries no breakage are left to them.
IN_A_MINUTE: dict[Way, tuple[str, ...]] = {
    ids.preimage: ALL,
    ids.media_names: (WITHHELD,),
    ids.orders_of_ids: ALL,
    listings.edges_after_listing: (HIDDEN,),
    lists.orders: ALL,
    clips.files: (WITHHELD,),
    clips.frozen: ALL,
    lists.response_times: (SEALED,),
    people.attention_items: (SEALED, WITHHELD),
    **dict.fromkeys(OF_SEATS, (SEALED,)),
}
# Attacks that ask several times for each item: `make test` gives them fewer items, all of which a broken seal tells.
ON_FEWER: tuple[Way, ...] = (lists.response_times,)


def name_of(way: Way) -> str:
    return f"{way.__module__.rpartition('.')[2]}.{way.__name__}"
