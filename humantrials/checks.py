"""System checks: the site refuses to start if a benchmark names an unknown protocol."""

from collections.abc import Sequence
from typing import Any

from django.apps import AppConfig
from django.core.checks import Error, register

from benchmarks.definitions.registry import BENCHMARKS
from humantrials.protocols import PROTOCOLS


@register
def attention_items_have_a_source(app_configs: Sequence[AppConfig] | None, **options: Any) -> list[Error]:
    return [
        Error(f"{name} has attention items but names no source for them", id="humantrials.E002")
        for name, protocol in PROTOCOLS.items()
        if protocol.screening.attention_items and not protocol.screening.attention
    ]


@register
def named_protocols_exist(app_configs: Sequence[AppConfig] | None, **options: Any) -> list[Error]:
    return [
        Error(f"{slug} names the protocol {name!r}, which is not in humantrials/protocols", id="humantrials.E001")
        for slug, benchmark in BENCHMARKS.items()
        for name in benchmark.protocols
        if name not in PROTOCOLS or PROTOCOLS[name].pool.benchmark != slug
    ]
