"""This site's signature of what it freezes: Ed25519 over a SHA-256, with a public key at a fixed address."""

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

from benchmarks.models import Key

NAME = "snapshots"


def signed(sha256: str) -> str:
    """The signature of this digest, in hexadecimal digits."""
    return _own().sign(bytes.fromhex(sha256)).hex()


def public_key() -> str:
    """The site's public key, 64 hexadecimal digits."""
    return _own().public_key().public_bytes_raw().hex()


def is_signed(sha256: str, signature: str, key: str) -> bool:
    """Whether the owner of this public key signed the digest; ValueError if one of them is no hexadecimal text."""
    try:
        Ed25519PublicKey.from_public_bytes(bytes.fromhex(key)).verify(bytes.fromhex(signature), bytes.fromhex(sha256))
    except InvalidSignature:
        return False
    return True


def _own() -> Ed25519PrivateKey:
    """The private key, made at its first use; a backup keeps it."""
    return Ed25519PrivateKey.from_private_bytes(Key.secret_of(NAME))
