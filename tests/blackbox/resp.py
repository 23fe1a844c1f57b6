"""A RESP client of the tests' own: bytes out, bytes or values in. It knows the framing and nothing else."""
import os
import pathlib
import socket
import ssl
import time

import harness


def frame(*words):
    """One command as it goes over the wire."""
    out = b"*%d\r\n" % len(words)
    for word in words:
        data = word if isinstance(word, bytes) else str(word).encode()
        out += b"$%d\r\n%s\r\n" % (len(data), data)
    return out


class Error(str):
    """An error reply, without its dash."""


class Client:
    def __init__(self, address, key=None, timeout=harness.DEADLINE_SECONDS, tls=None):
        if address.startswith("unix:"):
            self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
            self.socket.settimeout(timeout)
            self.socket.connect(address[5:])
        else:
            host, port = address.rsplit(":", 1)
            self.socket = socket.create_connection((host.strip("[]"), int(port)), timeout)
        if tls is not None:
            self.socket = tls.wrap_socket(self.socket, server_hostname="localhost")
        self.timeout = timeout
        self.rest = b""
        if key is not None:
            answer = self.ask("AUTH", key)
            if answer != "OK":
                harness.claim(False, f"AUTH is accepted: {answer}")

    def send(self, data):
        self.socket.sendall(data)

    def ask(self, *words):
        """Sends a command and reads its one reply."""
        self.send(frame(*words))
        return self.read()

    def _fill(self):
        part = self.socket.recv(1 << 20)
        if not part:
            raise ConnectionError("the server closed the connection")
        self.rest += part

    def _line(self):
        while b"\r\n" not in self.rest:
            self._fill()
        line, self.rest = self.rest.split(b"\r\n", 1)
        return line

    def _bytes(self, count):
        while len(self.rest) < count + 2:
            self._fill()
        data, self.rest = self.rest[:count], self.rest[count + 2:]
        return data

    def read(self):
        """One value: str, Error, int, float, bool, bytes, None, list, dict."""
        line = self._line()
        kind, text = line[:1], line[1:].decode(errors="replace")
        if kind == b"+":
            return text
        if kind == b"-":
            return Error(text)
        if kind == b":":
            return int(text)
        if kind == b",":
            return float(text)
        if kind == b"#":
            return text == "t"
        if kind == b"_":
            return None
        if kind in (b"$", b"="):
            return None if text == "-1" else self._bytes(int(text))
        if kind in (b"*", b"~", b">"):
            return None if text == "-1" else [self.read() for _ in range(int(text))]
        if kind == b"%":
            return {self._hashable(self.read()): self.read() for _ in range(int(text))}
        raise ValueError(f"not a RESP value: {line!r}")

    @staticmethod
    def _hashable(value):
        return tuple(value) if isinstance(value, list) else value

    def raw(self, count, seconds):
        """Up to `count` bytes as they come, for at most so long."""
        end = time.monotonic() + seconds
        got, self.rest = self.rest, b""
        while len(got) < count and time.monotonic() < end:
            self.socket.settimeout(max(0.01, end - time.monotonic()))
            try:
                part = self.socket.recv(65536)
            except (TimeoutError, ConnectionError):
                break
            if not part:
                break
            got += part
        self.socket.settimeout(self.timeout)
        return got

    def is_closed(self, seconds=harness.DEADLINE_SECONDS):
        """Whether the server closes the connection within that time; what it still sends is dropped."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            self.socket.settimeout(max(0.01, end - time.monotonic()))
            try:
                if not self.socket.recv(65536):
                    return True
            except TimeoutError:
                return False
            except ConnectionError:
                return True
        return False

    def close(self):
        self.socket.close()


def key_of(server):
    return pathlib.Path(server.data_dir, "session.key").read_text().strip()


def address_of(server):
    """The first RESP address of the ready line."""
    return harness.READY.match(server.ready_line).group(1).split(",")[0]


def serve(*arguments, **more):
    """A server with a RESP listener on a free port, ready."""
    server = harness.Server("--resp", "127.0.0.1:0", *arguments, **more).ready()
    server.resp = address_of(server)
    server.key = key_of(server) if os.path.exists(os.path.join(server.data_dir, "session.key")) else None
    return server


def trusting(certificate):
    """A TLS context that trusts this certificate and no other."""
    context = ssl.create_default_context(cafile=certificate)
    context.check_hostname = False
    return context
