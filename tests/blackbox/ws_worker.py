"""A worker of AstraFlow (protocol 2) that survives what happens to networks: `ws_worker.py ADDRESS LEDGER SLOTS`.

Each task waits for `ms` of its parameters and then does the one thing that must happen once: it appends its id to the ledger. The worker keeps its windows over
connections, sends what was not acknowledged again, answers a second copy of a running task as the real worker does, and the second copy of a finished one
with the result it has. Whenever something changed it prints what it counted, one JSON line each.
"""
import json
import os
import sys
import time

from ws_wire import Closed, Socket, Voice

PING_SECONDS, SILENCE_SECONDS = 0.5, 2.0  # then the connection is given up
CONNECT_SECONDS, AGAIN_SECONDS = 1.0, 0.2
RESEND_SECONDS = (0.2, 0.4, 0.8, 1.6, 3.2, 5.0)
BEAT_SECONDS = 5.0
WINDOW = 64


class Worker:
    def __init__(self, address, ledger, slots):
        self.address, self.slots = address, slots
        self.ledger = os.open(ledger, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
        self.voice = Voice("0c7b1a52-1111-4222-8333-944455550200")
        self.socket = self.session = None
        self.accepted = False            # this connection's session
        self.credit = WINDOW             # numbers up to this one may be sent
        self.sent = self.base = 0        # numbers: ours so far, theirs in order
        self.early, self.unacked = {}, {}  # theirs above a hole; ours by number: frame, when to send it (again), how often it was
        self.running, self.results = {}, {}
        self.counts = {"taken": 0, "running": 0, "ran": 0, "unacked": 0, "connected": False, "fresh": 0, "resumed": 0, "cuts": 0, "copies_running": 0,
                       "copies_done": 0, "resends": 0}
        self.told = None

    def tell(self):
        self.counts |= {"running": len(self.running), "unacked": len(self.unacked), "connected": self.accepted}
        if self.counts != self.told:
            self.told = dict(self.counts)
            print(json.dumps(self.told), flush=True)

    def write(self, value):
        if self.socket is not None:
            self.socket.send(value)

    def push(self, make):
        """A numbered frame: kept until the server's window has it."""
        self.sent += 1
        self.unacked[self.sent] = [make(self.sent), 0.0, 0]

    def dispatched(self, value):
        key = (value["payload"]["run_id"], value["payload"]["task_id"])
        if key in self.running:
            self.counts["copies_running"] += 1
            return self.push(lambda number: self.voice.running_already(value, number))
        if key in self.results:
            self.counts["copies_done"] += 1
            return self.push(lambda number: self.voice.result(value, number, self.results[key]))
        self.counts["taken"] += 1
        self.running[key] = (time.monotonic() + value["payload"]["parameters"]["ms"] / 1000, value)

    def finish_tasks(self):
        for key, (end, value) in list(self.running.items()):
            if time.monotonic() < end:
                continue
            del self.running[key]
            os.write(self.ledger, f"{key[1]}\n".encode())
            self.counts["ran"] += 1
            self.results[key] = {"n": value["payload"]["parameters"]["n"]}
            self.push(lambda number: self.voice.result(value, number, self.results[key]))

    def received(self, value):
        kind, payload = value["type"], value["payload"]
        if kind == "control.ack":
            if value.get("ack", {}).get("for", "").startswith("control.handshake"):
                self.write(self.voice.register(self.slots))
            above = payload.get("ack_seq", 0)
            bitmap = payload.get("ack_bitmap", 0)
            self.credit = max(self.credit, above + WINDOW)
            for number in [n for n in self.unacked if n <= above or (n > above and bitmap >> (n - above - 1) & 1)]:
                del self.unacked[number]
        elif kind == "control.session.accept":
            self.start(payload)
        elif kind == "control.reset":
            self.session = None
        elif "session_seq" in value:
            if value["session_seq"] > self.base:
                self.early[value["session_seq"]] = value
            while self.base + 1 in self.early:
                self.base += 1
                early = self.early.pop(self.base)
                if early["type"] == "biz.exec.dispatch":
                    self.dispatched(early)
            self.write(self.voice.ack(value, self.base, sum(1 << (n - self.base - 1) for n in self.early)))

    def start(self, accepted):
        self.session, self.accepted = accepted, True
        self.counts["resumed" if accepted["resumed"] else "fresh"] += 1
        if not accepted["resumed"]:
            self.base, self.early, pending, self.sent, self.unacked, self.credit = 0, {}, self.unacked, 0, {}, WINDOW
            for entry in pending.values():
                self.push(lambda number, kept=entry[0]: {**kept, "session_seq": number})
            return
        for entry in self.unacked.values():
            entry[1:] = [0.0, 0]

    def send_due(self):
        for number, entry in sorted(self.unacked.items()) if self.accepted else ():
            if number <= self.credit and time.monotonic() >= entry[1]:
                entry[1] = time.monotonic() + RESEND_SECONDS[min(entry[2], len(RESEND_SECONDS) - 1)]
                entry[2] += 1
                self.counts["resends"] += entry[2] > 1
                self.write(entry[0])

    def connect(self):
        self.socket = Socket(self.address, CONNECT_SECONDS)
        self.write(self.voice.handshake() if self.session is None else self.voice.resume(self.session, self.base))

    def connected(self):
        """One connection, until it ends."""
        pinged = beaten = time.monotonic()
        while True:
            value = self.socket.receive(0.02)
            if value is not None:
                self.received(value)
            now = time.monotonic()
            if now - self.socket.heard > SILENCE_SECONDS:
                raise ConnectionError("silence")
            if now - pinged > PING_SECONDS:
                pinged = now
                self.socket.ping()
            if self.accepted and now - beaten > BEAT_SECONDS:
                beaten = now
                self.write(self.voice.heartbeat(len(self.running)))
            self.finish_tasks()
            self.send_due()
            self.tell()

    def run(self):
        while True:
            try:
                self.connect()
                self.connected()
            except (OSError, Closed) as error:
                print(f"{time.monotonic():.2f} {error!r}", file=sys.stderr, flush=True)
                self.counts["cuts"] += self.accepted
            if self.socket is not None:
                self.socket.close()
            self.socket, self.accepted = None, False
            self.finish_tasks()
            self.tell()
            time.sleep(AGAIN_SECONDS)


if __name__ == "__main__":
    Worker(sys.argv[1], sys.argv[2], int(sys.argv[3])).run()
