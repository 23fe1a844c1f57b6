"""gRPC-Web by hand: just enough protobuf and framing to call a method from a language without a library for it."""
import base64
import http.client
import struct
import urllib.parse

import harness


def _varint(number):
    out = b""
    while number > 127:
        out += bytes([number & 127 | 128])
        number >>= 7
    return out + bytes([number])


def field(number, value):
    """A string, bytes or submessage field."""
    data = value.encode() if isinstance(value, str) else value
    return _varint(number << 3 | 2) + _varint(len(data)) + data


def fields(message):
    """What a message holds: number → list of values, texts as bytes."""
    found, at = {}, 0

    def number():
        nonlocal at
        value = shift = 0
        while True:
            byte = message[at]
            at += 1
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value

    while at < len(message):
        tag = number()
        if tag & 7 == 0:
            value = number()
        elif tag & 7 == 2:
            size = number()
            value = message[at:at + size]
            at += size
        else:
            raise ValueError(f"wire type {tag & 7}")
        found.setdefault(tag >> 3, []).append(value)
    return found


def frame(message):
    return struct.pack(">BI", 0, len(message)) + message


def unframed(body):
    """Messages and trailers of an answer."""
    messages, trailers, at = [], {}, 0
    while at < len(body):
        flag, size = struct.unpack(">BI", body[at:at + 5])
        data = body[at + 5:at + 5 + size]
        if len(data) != size:
            raise ValueError("a frame is cut off")
        at += 5 + size
        if flag & 128:
            for line in data.decode().split("\r\n"):
                name, _, value = line.partition(":")
                if name:
                    trailers[name.strip().lower()] = value.strip()
        else:
            messages.append(data)
    return messages, trailers


def _decoded_text(body):
    """Base64 in pieces: each piece may carry its own padding."""
    out, piece = b"", b""
    for byte in body.replace(b"\r\n", b""):
        piece += bytes([byte])
        if len(piece) == 4:
            out += base64.b64decode(piece)
            piece = b""
    if piece:
        raise ValueError("base64 is cut off")
    return out


class Answer:
    def __init__(self, reply, body, text):
        self.http = reply.status
        self.headers = {name.lower(): value for name, value in reply.getheaders()}
        self.type = self.headers.get("content-type", "")
        self.messages, self.trailers = unframed(_decoded_text(body) if text else body) if self.type.startswith("application/grpc-web") else ([], {})
        # An answer without a message may carry its trailers in the header.
        said = {**{name: value for name, value in self.headers.items() if name.startswith("grpc-")}, **self.trailers}
        self.status = int(said.get("grpc-status", "-1"))
        self.message = urllib.parse.unquote(said.get("grpc-message", ""))
        details = said.get("grpc-status-details-bin", "")
        self.details = base64.b64decode(details + "=" * (-len(details) % 4))
        self.body = body


def call(address, path, message, kind="application/grpc-web+proto", body=None, method="POST", headers=None, timeout=harness.DEADLINE_SECONDS):
    """One call; `body` goes out instead of the framed message."""
    text = "-text" in kind
    if body is None:
        body = base64.b64encode(frame(message)) if text else frame(message)
    connection = http.client.HTTPConnection(address, timeout=timeout)
    sent = {"Content-Type": kind, "Accept": kind, "X-Grpc-Web": "1", "Origin": "http://page.example", **(headers or {})}
    connection.request(method, path, body if method == "POST" else None, {name: value for name, value in sent.items() if value is not None})
    reply = connection.getresponse()
    answer = Answer(reply, reply.read(), text)
    connection.close()
    return answer
