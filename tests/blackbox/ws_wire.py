"""WebSocket and AstraFlow's frames by hand, for tests that must be able to get both wrong."""
import base64
import json
import os
import select
import socket
import struct
import time

TEXT, BINARY, CLOSE, PING, PONG = 1, 2, 8, 9, 10
NODE = "demo.echo"


def manifest(node):
    return {"schemaVersion": "1.0.0", "name": "demo.pkg", "version": "1.0.0", "description": "d", "python": {"requires": ">=3.10"},
            "adapters": [{"name": "a", "entrypoint": "adapters.a", "capabilities": [node]}],
            "nodes": [{"type": node, "status": "published", "category": "c", "label": "l", "adapter": "a", "handler": "echo", "schema": {}}]}


def masked(data, key):
    if not data:
        return data
    mask = (key * (len(data) // 4 + 1))[:len(data)]
    return (int.from_bytes(data, "big") ^ int.from_bytes(mask, "big")).to_bytes(len(data), "big")


def frame(data, opcode=TEXT, fin=True, mask=True, reserved=0, length=None):
    """One frame of a client; `length` is what its header says, if not the truth."""
    size = len(data) if length is None else length
    head = bytes([(0x80 if fin else 0) | reserved << 4 | opcode])
    bit = 0x80 if mask else 0
    if size < 126:
        head += bytes([bit | size])
    elif size < 1 << 16:
        head += struct.pack(">BH", bit | 126, size)
    else:
        head += struct.pack(">BQ", bit | 127, size)
    key = os.urandom(4) if mask else b""
    return head + key + (masked(data, key) if mask else data)


def upgrade(path="/ws/worker", **changed):
    """The request of websockets 12. A value of None leaves a header out."""
    headers = {"Host": "127.0.0.1", "Upgrade": "websocket", "Connection": "Upgrade", "Sec-WebSocket-Key": base64.b64encode(os.urandom(16)).decode(),
               "Sec-WebSocket-Version": "13", "Sec-WebSocket-Extensions": "permessage-deflate; client_max_window_bits",
               "User-Agent": "Python/3.11 websockets/12.0"}
    headers |= {name.replace("_", "-"): value for name, value in changed.items()}
    return (f"GET {path} HTTP/1.1\r\n" + "".join(f"{name}: {value}\r\n" for name, value in headers.items() if value is not None) + "\r\n").encode()


class Closed(ConnectionError):
    """The server said goodbye, or went without a word (code 1006)."""

    def __init__(self, code, reason=""):
        super().__init__(f"closed with {code} {reason}")
        self.code, self.reason = code, reason


class Socket:
    """A client's side of a WebSocket without compression. Blocking, but for receive() with a time."""

    def __init__(self, address, timeout=10, **changed):
        host, port = address.rsplit(":", 1)
        self.socket = socket.create_connection((host, int(port)), timeout)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.rest = b""
        self.heard = time.monotonic()  # anything at all
        self.socket.sendall(upgrade(**{"Host": address, "Sec_WebSocket_Extensions": None, **changed}))
        while b"\r\n\r\n" not in self.rest:
            self._fill()
        head, self.rest = self.rest.split(b"\r\n\r\n", 1)
        if not head.startswith(b"HTTP/1.1 101"):
            self.socket.close()
            raise ConnectionRefusedError(head.split(b"\r\n", 1)[0].decode())

    def _fill(self):
        part = self.socket.recv(1 << 18)
        if not part:
            raise Closed(1006)
        self.heard = time.monotonic()
        self.rest += part

    def send(self, value):
        self.socket.sendall(frame((value if isinstance(value, str) else json.dumps(value)).encode()))

    def ping(self):
        self.socket.sendall(frame(b"", PING))

    def _whole(self):
        """The first frame of what was read: opcode and payload, or None."""
        if len(self.rest) < 2:
            return None
        size, head = self.rest[1] & 0x7f, 2
        if size == 126:
            head, size = 4, struct.unpack(">H", self.rest[2:4])[0] if len(self.rest) >= 4 else 1 << 30
        elif size == 127:
            head, size = 10, struct.unpack(">Q", self.rest[2:10])[0] if len(self.rest) >= 10 else 1 << 30
        if len(self.rest) < head + size:
            return None
        opcode, payload = self.rest[0] & 15, self.rest[head:head + size]
        self.rest = self.rest[head + size:]
        return opcode, payload

    def receive(self, seconds=None):
        """The next text as JSON, or None when none comes in time or the server was only heard to be there. Raises Closed."""
        while (whole := self._whole()) is None:
            if seconds is not None and not select.select([self.socket], [], [], seconds)[0]:
                return None
            self._fill()
        opcode, payload = whole
        if opcode == TEXT:
            return json.loads(payload)
        if opcode == CLOSE:
            raise Closed(struct.unpack(">H", payload[:2])[0] if payload else 1005, payload[2:].decode())
        if opcode == PING:
            self.socket.sendall(frame(payload, PONG))
        return None if seconds is not None else self.receive()

    def hear(self, kind):
        """The next frame of this type."""
        while (value := self.receive()) is None or value["type"] != kind:
            pass
        return value

    def close(self):
        self.socket.close()


class Voice:
    """Writes the frames of one worker: both protocols, ids from a counter as the real one's."""

    def __init__(self, instance, tenant="default", token="dev-token", v2=True, node=NODE):
        self.instance, self.tenant, self.token, self.v2, self.node, self.counter = instance, tenant, token, v2, node, 0

    def frame(self, kind, payload, ask=False, **more):
        self.counter += 1
        value = {"type": kind, "id": f"{kind}-{self.counter - 1}", "ts": "2026-11-15T07:57:25.991475+00:00", "tenant": self.tenant,
                 "sender": {"role": "worker", "id": self.instance}, "payload": payload}
        return value | ({"ack": {"request": True}} if ask else {}) | more

    def handshake(self):
        who = {"worker_name": self.instance, "worker_instance_id": self.instance} if self.v2 else {"id": self.instance}
        payload = {"protocol": 1, "auth": {"mode": "token", "token": self.token}, "worker": {**who, "version": "1", "hostname": "h"}}
        return self.frame("control.handshake" if self.v2 else "handshake", payload, ask=True)

    def register(self, max_parallel=1):
        payload = {"capabilities": {"concurrency": {"max_parallel": max_parallel}, "runtimes": ["python"], "features": []},
                   "packages": [{"name": "demo.pkg", "version": "1.0.0", "status": "installed"}],
                   "manifests": [{"name": "demo.pkg", "version": "1.0.0", "manifest": manifest(self.node)}]}
        return self.frame("control.register" if self.v2 else "register", payload, ask=True)

    def resume(self, accepted, last_seen):
        payload = {"session_id": accepted["session_id"], "session_token": accepted["session_token"], "last_seen_seq": last_seen}
        return self.frame("control.resume", payload, ask=True)

    def heartbeat(self, inflight=0):
        return self.frame("control.heartbeat" if self.v2 else "heartbeat", {"healthy": True, "metrics": {"inflight": inflight}})

    def ack(self, of, base=0, bitmap=0):
        window = {"ack_seq": base, "ack_bitmap": bitmap, "recv_window": 64} if self.v2 else {}
        more = {name: of[name] for name in ("corr", "seq") if name in of}
        return self.frame("control.ack" if self.v2 else "ack", {"ok": True, "for": of["id"], **window}, ack={"for": of["id"]}, **more)

    def result(self, dispatch, number, result):
        task = {name: dispatch["payload"][name] for name in ("run_id", "task_id")}
        payload = {**task, "status": "SUCCEEDED", "result": result, "duration_ms": 0}
        number = {"session_seq": number} if self.v2 else {}
        return self.frame("biz.exec.result" if self.v2 else "result", payload, ask=True, corr=dispatch["id"], seq=dispatch["seq"], **number)

    def feedback(self, number, run="r", task="t"):
        payload = {"run_id": run, "task_id": task, "stage": "streaming", "progress": 0.5, "chunks": [{"channel": "log", "text": "x"}]}
        return self.frame("biz.exec.feedback" if self.v2 else "feedback", payload, **({"session_seq": number} if self.v2 else {}))

    def running_already(self, dispatch, number):
        details = {name: dispatch["payload"][name] for name in ("run_id", "task_id", "node_id")}
        payload = {"code": "E.CMD.CONCURRENCY_VIOLATION", "message": "already running", "context": {"where": "worker.concurrency", "details": details}}
        return self.frame("biz.exec.error", payload, ask=True, corr=dispatch["id"], seq=dispatch["seq"], session_seq=number)


def join(address, voice, max_parallel=1):
    """A worker past the accept: its socket, and what the accept said."""
    worker = Socket(address)
    worker.send(voice.handshake())
    worker.hear("control.ack" if voice.v2 else "ack")
    worker.send(voice.register(max_parallel))
    if not voice.v2:
        return worker, worker.hear("ack")
    return worker, worker.hear("control.session.accept")["payload"]
