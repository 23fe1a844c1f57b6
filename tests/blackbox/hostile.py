"""What hostile peers of every wire have in common: a seed, odd values, broken bytes, and connections used in every wrong way.

A peer never judges an answer: it sends, reads some of what comes, and leaves. Whether the server stayed well is the watchdog's business. Names come from
POOL alone, so that no peer touches the work of honest clients.
"""
import random
import socket
import struct
import threading
import time

POOL = ["h-a", "h-b", "h-c", "h:1", "h:2", "h:3", "h:big", "h-queue", "h-type", "tool:h"]
PEERS = 8  # of one wire at the same time
CONNECT_SECONDS = 5
READ_SECONDS = 0.5
DRIP_SECONDS = 2.0


class Dice(random.Random):
    """Values that a careful program would not send."""

    def word(self):
        kind = self.randrange(12)
        if kind < 6:
            return self.choice(POOL)
        if kind < 8:
            return str(self.number())
        if kind == 8:
            return ""
        if kind == 9:
            return "x" * self.choice((127, 129, 257, 4097, 70_000))
        if kind == 10:
            return self.choice(("\0", "\r\n", "*", "[", "nan", "-inf", "+inf", "1e400", "é\ud83d\ude00".encode("utf-16", "surrogatepass").decode("utf-16")))
        return self.json_text()

    def number(self):
        return self.choice((0, 1, -1, 2, 7, 100, -100_000, 2**31, -2**31 - 1, 2**63 - 1, -2**63, 2**64, self.randrange(1000)))

    def json(self, depth=3):
        kind = self.randrange(8 if depth else 5)
        if kind == 0:
            return self.number()
        if kind == 1:
            return self.choice((None, True, False))
        if kind == 2:
            return self.random() * 10 ** self.randrange(-300, 300)
        if kind < 5:
            return self.choice(POOL)
        if kind == 5:
            return [self.json(depth - 1) for _ in range(self.randrange(5))]
        return {self.choice([*POOL, "id", "job_id", "tasks", "type"]): self.json(depth - 1) for _ in range(self.randrange(5))}

    def json_text(self):
        if self.randrange(20) == 0:
            return "[" * self.choice((100, 5_000)) + "]" * self.randrange(100)
        return str(self.json()).replace("'", '"').replace("None", "null").replace("True", "true").replace("False", "false")

    def broken(self, data):
        """The same bytes with a few of them changed, lost, repeated or strange."""
        out = bytearray(data)
        for _ in range(self.randrange(1, 6)):
            if not out:
                break
            at = self.randrange(len(out))
            kind = self.randrange(4)
            if kind == 0:
                out[at] = self.randrange(256)
            elif kind == 1:
                del out[at:at + self.randrange(1, 20)]
            elif kind == 2:
                out[at:at] = out[max(0, at - self.randrange(1, 50)):at]
            else:
                out[at:at] = self.randbytes(self.randrange(1, 30))
        return bytes(out)


class Peer:
    """One connection that may end at any moment, from either side: errors of the network are what it is here for."""

    def __init__(self, address):
        host, port = address.rsplit(":", 1)
        self.socket = socket.create_connection((host, int(port)), CONNECT_SECONDS)
        self.socket.settimeout(READ_SECONDS)

    def send(self, data):
        self.socket.sendall(data)

    def read_some(self, seconds=READ_SECONDS):
        """What comes within that time, at most; an idle server ends it sooner."""
        end = time.monotonic() + seconds
        got = 0
        while time.monotonic() < end:
            try:
                part = self.socket.recv(1 << 20)
            except TimeoutError:
                return got
            if not part:
                return got
            got += len(part)
        return got

    def drip(self, data):
        """A few bytes at a time, with pauses."""
        end = time.monotonic() + DRIP_SECONDS
        for at in range(0, len(data), 3):
            if time.monotonic() > end:
                return
            self.socket.sendall(data[at:at + 3])
            time.sleep(0.05)

    def half_close(self):
        self.socket.shutdown(socket.SHUT_WR)

    def reset(self):
        """An abortive end: the server finds out when it writes."""
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.close()

    def close(self):
        self.socket.close()


def leave(peer, dice):
    """One of the ways to end a connection."""
    kind = dice.randrange(3)
    if kind == 0:
        peer.half_close()
        peer.read_some()
    peer.reset() if kind == 1 else peer.close()


def misbehave(habits, address, dice, end, followed):
    while time.monotonic() < end:
        habit = dice.choice(habits)
        followed[habit.__name__] = followed.get(habit.__name__, 0) + 1
        try:
            habit(address, dice)
        except OSError:
            continue  # refused, reset or timed out: the server's right


def storm(habits, address, seed, seconds):
    """Peers side by side, each making connection after connection with a habit drawn from the seed; returns how often each habit was followed."""
    end = time.monotonic() + seconds
    counts = [{} for _ in range(PEERS)]
    peers = [threading.Thread(target=misbehave, args=(habits, address, Dice(seed * PEERS + number), end, counts[number])) for number in range(PEERS)]
    for peer in peers:
        peer.start()
    for peer in peers:
        peer.join()
    return {habit.__name__: sum(count.get(habit.__name__, 0) for count in counts) for habit in habits}
