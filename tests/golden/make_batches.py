#!/usr/bin/env python3
"""Writes batches.bin, checkpoint.bin and segment.index: the formats of docs/formats.md, made without the code under test."""

import pathlib
import struct

HERE = pathlib.Path(__file__).parent


def crc32c(data: bytes) -> int:
    """CRC-32C (RFC 3720 B.4) bit by bit, reflected polynomial 0x82f63b78."""
    crc = 0xFFFFFFFF
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = (crc >> 1) ^ (0x82F63B78 if crc & 1 else 0)
    return crc ^ 0xFFFFFFFF


def varint(value: int) -> bytes:
    bits = (value << 1) ^ (value >> 63)
    out = bytearray()
    while bits >= 0x80:
        out.append((bits & 0x7F) | 0x80)
        bits >>= 7
    out.append(bits)
    return bytes(out)


def sized(data: bytes) -> bytes:
    return varint(len(data)) + data


def record(offset_delta, key, value, attributes=4, headers=(), timestamp_delta=0):
    out = bytes([attributes]) + varint(timestamp_delta) + varint(offset_delta)
    out += varint(-1) if key is None else sized(key)
    out += varint(-1) if value is None else sized(value)
    out += varint(len(headers))
    for name, header_value in headers:
        out += sized(name) + sized(header_value)
    return out


def batch(base, records, *, count=None, delta=None, epoch=1, timestamp=0, max_timestamp=None, watermark=0, attributes=0,
          producer=bytes(16), producer_epoch=-1, sequence=-1):
    body = b"".join(records)
    count = len(records) if count is None else count
    delta = count - 1 if delta is None else delta
    max_timestamp = timestamp if max_timestamp is None else max_timestamp
    behind_crc = struct.pack(">HIIqIiqqqqi", attributes, 84 + len(body), count, base, delta, epoch, timestamp, max_timestamp,
                             watermark, sequence, producer_epoch) + producer + body
    return b"\x50\x02" + struct.pack(">I", crc32c(behind_crc)) + behind_crc


def batches():
    yield batch(0, [record(0, b"user-1", b'{"n":1}', attributes=6, headers=[(b"h", b"v")])],
                timestamp=1764400000000000000, attributes=0x10)
    yield batch(1, [record(0, None, b""), record(1, b"", b"text", attributes=5),
                    record(2, b"gone", None), record(3, b"\x00\xff", bytes(range(256)), attributes=0,
                                                     headers=[(b"a", b"1"), (b"a", b"2"), (b"b", b"")])],
                epoch=3, timestamp=1764400000000000001, watermark=1, attributes=0x10)
    yield batch(5, [record(i, None, b"x" * 70) for i in range(70)], epoch=2147483647, timestamp=1764400000000000002,
                watermark=4, attributes=8, producer=bytes(range(1, 17)), producer_epoch=7, sequence=123456789012)
    # What compaction may leave: fewer records than offsets, timestamps inside the span, and no record at all.
    yield batch(75, [record(1, b"k", b"v", timestamp_delta=5), record(9, b"l", b"w", timestamp_delta=10)], delta=9,
                timestamp=1764400000000000003, max_timestamp=1764400000000000013, watermark=75, attributes=0x10)
    yield batch(85, [], count=0, delta=4, timestamp=1764400000000000013, watermark=80)


def checkpoint():
    body = struct.pack(">IHHqqqQQ", 0x50534350, 1, 1, 3, 100, 250, 8192, 8000)
    return body + struct.pack(">I", crc32c(body))


def index():
    entries = b"".join(struct.pack(">qQq", *entry) for entry in [(100, 0, 10), (140, 20000, 20), (200, 40000, 20)])
    head = struct.pack(">IHHqQI", 0x50534958, 1, 0, 100, 50000, 3)
    return head + struct.pack(">I", crc32c(head + bytes(4) + entries)) + entries


if __name__ == "__main__":
    (HERE / "batches.bin").write_bytes(b"".join(batches()))
    (HERE / "checkpoint.bin").write_bytes(checkpoint())
    (HERE / "segment.index").write_bytes(index())
