"""Every protocol, by name."""

from collections.abc import Iterator, MutableMapping, Sequence
from typing import Any

from django.apps import AppConfig
from django.core.checks import Error, register

from benchmarks.definitions.definition import Benchmark
from benchmarks.definitions.registry import BENCHMARKS
from humantrials.errors import TrialError
from humantrials.protocols.catalogue.craft_five_part import CRAFT_FIVE_PART
from humantrials.protocols.catalogue.file_benchmarks import protocols_of
from humantrials.protocols.catalogue.giraffe import GIRAFFE_CHOICE, GIRAFFE_RATING
from humantrials.protocols.catalogue.grasp_grounding import GRASP_GROUNDING
from humantrials.protocols.catalogue.grasp_plausibility import GRASP_PLAUSIBILITY
from humantrials.protocols.catalogue.grasp_variants import GRASP_FRAMES, GRASP_MOMENT, GRASP_TWINS
from humantrials.protocols.catalogue.pacs_audio import PACS_AUDIO, TAPPED_AUDIO
from humantrials.protocols.protocol import Protocol

BUILT_IN: dict[str, Protocol] = {
    protocol.name: protocol
    for protocol in (
        GRASP_PLAUSIBILITY,
        GRASP_GROUNDING,
        GRASP_TWINS,
        GRASP_MOMENT,
        GRASP_FRAMES,
        PACS_AUDIO,
        TAPPED_AUDIO,
        CRAFT_FIVE_PART,
        GIRAFFE_RATING,
        GIRAFFE_CHOICE,
    )
}


class ProtocolTable(MutableMapping[str, Protocol]):
    """Protocols by name, those of a benchmark side by side: of this package, of extensions, of benchmarks as files."""

    def __init__(self) -> None:
        self._files: list[Benchmark] = []
        self._written: dict[str, Protocol] = {}  # the protocols of these files

    def _of_files(self) -> dict[str, Protocol]:
        """Those of benchmarks as files, made once: a page asks for its protocol a hundred times."""
        files = BENCHMARKS.files()
        if [*map(id, files)] != [*map(id, self._files)]:
            written = (protocol for benchmark in files for protocol in protocols_of(benchmark))
            self._written, self._files = {protocol.name: protocol for protocol in written}, files
        return self._written

    def _known(self) -> dict[str, Protocol]:
        known = BUILT_IN | self._of_files()
        benchmarks = list(dict.fromkeys(protocol.pool.benchmark for protocol in known.values()))
        return {
            name: known[name] for name in sorted(known, key=lambda name: benchmarks.index(known[name].pool.benchmark))
        }

    def __getitem__(self, name: str) -> Protocol:
        return BUILT_IN[name] if name in BUILT_IN else self._of_files()[name]

    def __setitem__(self, name: str, protocol: Protocol) -> None:
        BUILT_IN[name] = protocol

    def __delitem__(self, name: str) -> None:
        del BUILT_IN[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._known())

    def __len__(self) -> int:
        return len(self._known())


PROTOCOLS = ProtocolTable()


def find_protocol(name: str) -> Protocol:
    """The protocol of this name; else the error lists those that exist."""
    if name not in PROTOCOLS:
        raise TrialError(f"there is no protocol {name!r}; there is: {', '.join(PROTOCOLS)}")
    return PROTOCOLS[name]


@register
def named_protocols_exist(app_configs: Sequence[AppConfig] | None, **options: Any) -> list[Error]:
    return [
        Error(f"{slug} names the protocol {name!r}, which is not in humantrials/protocols", id="humantrials.E001")
        for slug, benchmark in BENCHMARKS.items()
        for name in benchmark.protocols
        if name not in PROTOCOLS or PROTOCOLS[name].pool.benchmark != slug
    ]
