"""Hostile peers of the gRPC wire: HTTP/2 by hand, methods out of proto/, messages that are protobuf by chance. gRPC-Web too, on the HTTP port."""
import gzip
import pathlib
import re
import struct

from grpc_web_wire import _varint, field
from hostile import POOL, Peer, leave

PROTO = pathlib.Path(__file__).resolve().parent.parent.parent / "proto"
PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
DATA, HEADERS, RST_STREAM, SETTINGS, PING, WINDOW_UPDATE, CONTINUATION = 0, 1, 3, 4, 6, 8, 9
END_STREAM, END_HEADERS = 1, 4
BOMB = gzip.compress(b"\0" * (64 << 20))


def methods():
    for path in sorted(PROTO.glob("*.proto")):
        package, service = "", ""
        for line in path.read_text().splitlines():
            found = re.match(r"\s*(package|service|rpc) ([\w.]+)", line)
            if not found:
                continue
            word, name = found.groups()
            package, service = (name if word == "package" else package), (name if word == "service" else service)
            if word == "rpc":
                yield f"/{package}.{service}/{name}"


METHODS = list(methods())


def h2(kind, flags, stream, payload=b""):
    return struct.pack(">I", len(payload))[1:] + bytes([kind, flags]) + struct.pack(">I", stream) + payload


def headers(pairs):
    """Literals without indexing: no table on either side."""
    def text(value):
        data = value.encode(errors="replace")
        return (bytes([len(data)]) if len(data) < 127 else b"\x7f" + _varint(len(data) - 127)) + data

    return b"".join(b"\0" + text(name) + text(value) for name, value in pairs)


def message(dice, depth=2):
    """Fields that a method may or may not know. All are there, since one that is missing may mean the namespace of honest clients."""
    out = b""
    for number in range(1, 12):
        kind = dice.randrange(10)
        if kind < 7 or number < 4:
            out += field(number, dice.choice(POOL) if dice.randrange(4) else dice.word().encode(errors="replace") or "h-a")
        elif kind == 7:
            out += _varint(number << 3) + _varint(dice.number() % 2**64)
        elif depth:
            out += field(number, message(dice, depth - 1))
    return out


def prefixed(data, compressed=0):
    return struct.pack(">BI", compressed, len(data)) + data


def habits(tokens):
    def call(dice, stream, payload, *more, path=None):
        pairs = [(":method", "POST"), (":scheme", "http"), (":path", path or dice.choice(METHODS)), (":authority", "127.0.0.1"),
                 ("content-type", "application/grpc"), ("te", "trailers"), *more]
        if dice.randrange(8):
            pairs.append(("authorization", f"Bearer {dice.choice([*tokens, *tokens, 'wrong'])}"))
        if dice.randrange(3) == 0:
            pairs.append(("grpc-timeout", dice.choice(("200m", "0S", "99999999H", "x"))))
        return h2(HEADERS, END_HEADERS, stream, headers(pairs)) + h2(DATA, END_STREAM, stream, payload[:16_384])

    def opened(address, dice, settings=b""):
        peer = Peer(address)
        peer.send(PREFACE + h2(SETTINGS, 0, 0, settings) + h2(SETTINGS, 1, 0))
        return peer

    def calls(dice, count):
        return b"".join(call(dice, 2 * i + 1, prefixed(message(dice))) for i in range(count))

    def valid(address, dice):
        peer = opened(address, dice)
        peer.send(calls(dice, dice.randrange(1, 15)))
        peer.read_some(0.3)
        leave(peer, dice)

    def broken(address, dice):
        peer = opened(address, dice)
        peer.send(dice.broken(calls(dice, 5)))
        peer.read_some(0.1)
        leave(peer, dice)

    def cancelled(address, dice):
        peer = opened(address, dice)
        for i in range(50):
            peer.send(call(dice, 2 * i + 1, prefixed(message(dice))) + (h2(RST_STREAM, 0, 2 * i + 1, struct.pack(">I", 8)) if dice.randrange(2) else b""))
        peer.read_some(0.1)
        leave(peer, dice)

    def bomb(address, dice):
        peer = opened(address, dice)
        peer.send(call(dice, 1, prefixed(BOMB[:16_000], 1), ("grpc-encoding", "gzip")) + call(dice, 3, prefixed(message(dice), 1), ("grpc-encoding", "nonsense")))
        peer.read_some(0.2)
        leave(peer, dice)

    def floods(address, dice):
        peer = opened(address, dice)
        peer.send(dice.choice((h2(PING, 0, 0, b"12345678") * 500, h2(SETTINGS, 0, 0) * 500, h2(WINDOW_UPDATE, 0, 0, struct.pack(">I", 1)) * 500,
                               h2(HEADERS, 0, 1, b"\0\1a\1b") + h2(CONTINUATION, 0, 1, b"\0\1a\1b" * 500) * 20, h2(DATA, 0, 0, b"x" * 16_384) * 5)))
        peer.read_some(0.1)
        leave(peer, dice)

    def closed_window(address, dice):
        """Never lets an answer through."""
        peer = opened(address, dice, struct.pack(">HI", 4, 0))
        peer.send(calls(dice, 10))
        peer.read_some(0.3)
        leave(peer, dice)

    def watchers(address, dice):
        peer = opened(address, dice)
        peer.send(b"".join(call(dice, 2 * i + 1, prefixed(b""), path="/grpc.health.v1.Health/Watch") for i in range(50)))
        peer.read_some(0.3)
        leave(peer, dice)

    def garbage(address, dice):
        peer = Peer(address)
        peer.send(dice.choice((PREFACE, b"", b"GET / HTTP/1.1\r\n\r\n")) + dice.randbytes(dice.randrange(1, 5_000)))
        peer.read_some(0.1)
        leave(peer, dice)

    return [valid, valid, broken, cancelled, bomb, floods, closed_window, watchers, garbage]


def web_habits(tokens):
    def web(address, dice):
        path, text = dice.choice(METHODS), dice.randrange(4) == 0
        body = prefixed(message(dice)) if dice.randrange(2) else dice.broken(prefixed(message(dice)))
        head = (f"POST {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/grpc-web{'-text' if text else '+proto'}\r\nX-Grpc-Web: 1\r\n"
                f"Content-Length: {len(body)}\r\ngrpc-timeout: 300m\r\nAuthorization: Bearer {dice.choice([*tokens, 'wrong'])}\r\n\r\n")
        peer = Peer(address)
        peer.send(head.encode() + body)
        peer.read_some(0.1)
        leave(peer, dice)

    return [web]
