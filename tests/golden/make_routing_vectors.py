#!/usr/bin/env python3
"""Prints routing vectors: key in hex ("-" = empty), partition count, partition. Python's integers do the 256-bit modulo, so
nothing here shares code with core/topics/routing.cpp.

    tests/golden/make_routing_vectors.py > tests/golden/routing_vectors.txt
"""
import hashlib

KEYS = [
    b"",
    b"a",
    b"user-1",
    b"user-2",
    b"0",
    b"null",
    "größe-ключ-鍵".encode(),
    b"\x00",
    b"a\x00b",
    b"\xff\xfe\x00\x80",
    bytes(range(256)),
    b"x" * 55,  # one SHA-256 block with its padding
    b"x" * 56,  # two
    b"x" * 64,
    b"k" * 100_000,
] + [f"order/{i}".encode() for i in range(40)]
COUNTS = [1, 2, 3, 7, 16, 1000, 4096, 9973, 10000, 2**31 - 1]


def partition(key, count):
    return int.from_bytes(hashlib.sha256(key).digest(), "big") % count


print("# made by make_routing_vectors.py")
for key in KEYS:
    # The long key would fill the file: it is written as "byte*count".
    shown = key.hex() or "-"
    if len(key) > 1000:
        shown = f"{key[:1].hex()}*{len(key)}"
    for count in COUNTS:
        print(shown, count, partition(key, count))
