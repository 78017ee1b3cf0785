"""Restricts the servers that the site may contact: those in MODEL_HOSTS and public addresses, never a cloud's metadata.

Addresses are checked when the connection is made, since a name may resolve to another address each time.
"""

import asyncio
import ipaddress
import os
import socket
import ssl
from collections.abc import Iterator, Sequence
from contextlib import suppress
from functools import cache
from ipaddress import IPv4Address, IPv6Address
from typing import Any
from urllib.request import getproxies, proxy_bypass

import httpx
from django.conf import settings

from benchmarks.leasing import BEATS_A_LEASE
from evaluation.errors import ModelMisused

Address = IPv4Address | IPv6Address
# Link-local addresses, where clouds serve the keys of their machines, and other addresses that no model server has.
NEVER = tuple(map(ipaddress.ip_network, (
    "0.0.0.0/8", "169.254.0.0/16", "224.0.0.0/4", "255.255.255.255/32", "100.100.100.200/32", "168.63.129.16/32",
    "::/128", "fe80::/10", "ff00::/8", "fd00:ec2::/32", "fd20:ce::/32",
)))  # fmt: skip
NOBODY = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)  # trusts no certificate
WRAPPED = ipaddress.IPv6Network("64:ff9b::/96")  # an IPv4 address in the last 32 bits


def check_host(host: str) -> None:
    """Raise ModelMisused for a forbidden address; names are checked when a connection is made."""
    if (address := _address(host)) is not None:
        _check(host, address)


def is_named(host: str) -> bool:
    """Whether MODEL_HOSTS names this host or a network with this address."""
    address = _address(host)
    if address is None:
        return host.lower().rstrip(".") in settings.MODEL_HOSTS
    return host.lower() in settings.MODEL_HOSTS or any(address in network for network in _networks())


def public_host(host: str) -> str:
    """The host as shown on run cards; '' for private addresses."""
    address = _address(host)
    return host if address is None or address.is_global or address.is_loopback else ""


def transport_to(base_url: str, limits: httpx.Limits) -> httpx.AsyncBaseTransport:
    """The transport for requests: through the environment's proxy, or directly with checked addresses."""
    url = httpx.URL(base_url)
    trust = trust_for(url)
    if proxy := proxy_to(url):
        check_host(url.host)
        return httpx.AsyncHTTPTransport(verify=trust, limits=limits, proxy=proxy, socket_options=within_a_beat())
    return LookedAt(httpx.AsyncHTTPTransport(verify=trust, limits=limits, socket_options=within_a_beat()))


def within_a_beat() -> list[tuple[int, int, int]]:
    """Have the kernel give up what it could not deliver between two heartbeats of a lease (Linux).

    Otherwise it delivers a request when the link is back, while another worker may have the shard.
    """
    milliseconds = round(1000 * settings.EVALUATION_LEASE_SECONDS / BEATS_A_LEASE)
    return [(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, milliseconds)] if hasattr(socket, "TCP_USER_TIMEOUT") else []


def proxy_to(url: httpx.URL) -> str:
    """The proxy that the environment names for this address; '' for none."""
    return "" if proxy_bypass(url.host) else getproxies().get(url.scheme, "")


def host_and_port(proxy: str) -> str:
    """What may be shown of a proxy's address, which may hold a password."""
    return proxy.rpartition("@")[2].rpartition("://")[2].rstrip("/")


def trust_for(url: httpx.URL) -> ssl.SSLContext:
    """The certificates that this address is checked against; none for http, where a change to https fails."""
    if url.scheme != "https":
        return NOBODY
    return _trusted(os.environ.get("SSL_CERT_FILE", ""), os.environ.get("SSL_CERT_DIR", ""))


@cache
def _trusted(file: str, folder: str) -> ssl.SSLContext:
    """httpx's certificates, or those of these two variables, as httpx reads them; reading them takes 25 ms."""
    return httpx.create_ssl_context()


class LookedAt(httpx.AsyncBaseTransport):
    """Connects to exactly the address that was checked, with the host name for TLS."""

    def __init__(self, inner: httpx.AsyncBaseTransport) -> None:
        self.inner = inner

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        host, plain = request.url.host, request.url
        request.extensions = {**request.extensions, "sni_hostname": host}
        *others, last = await _permitted(host, plain.port)
        for address in others:
            request.url = plain.copy_with(host=address)
            try:
                return await self.inner.handle_async_request(request)
            except httpx.ConnectError:
                continue
        request.url = plain.copy_with(host=last)
        return await self.inner.handle_async_request(request)

    async def aclose(self) -> None:
        await self.inner.aclose()


async def _permitted(host: str, port: int | None) -> Sequence[str]:
    """The addresses to which the name resolves now; raises ModelMisused if one of them is forbidden."""
    try:
        found = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError) as error:
        raise httpx.ConnectError(str(error)) from error
    addresses = sorted({str(info[4][0]) for info in found}, key=lambda one: (":" in one, one))
    for one in addresses:
        _check(host, ipaddress.ip_address(one.partition("%")[0]))
    return addresses


def _check(host: str, address: Address) -> None:
    address = _unwrapped(address)
    prefix = "" if host == str(address) else f"{address}, "
    if any(address in network for network in NEVER):
        raise ModelMisused(f"{host} is {prefix}an address that is never contacted: no model is served there")
    if not (address.is_global or is_named(str(address)) or is_named(host)):
        raise ModelMisused(f"{host} is {prefix}an address inside a network: it is asked where MODEL_HOSTS names it")


def _address(host: str) -> Address | None:
    """The host as an address; None for a name."""
    try:
        return _unwrapped(ipaddress.ip_address(host.strip("[]").partition("%")[0]))
    except ValueError:
        return None


def _unwrapped(address: Address) -> Address:
    """The IPv4 address inside an IPv6 address, or the address itself."""
    if isinstance(address, IPv4Address):
        return address
    inside: Any = address.ipv4_mapped or address.sixtofour
    if inside is None and address in WRAPPED:
        inside = IPv4Address(int(address) & 0xFFFF_FFFF)
    return inside or address


def _networks() -> Iterator[Any]:
    for word in settings.MODEL_HOSTS:
        with suppress(ValueError):  # a name
            yield ipaddress.ip_network(word)
