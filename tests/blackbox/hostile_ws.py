"""Hostile peers of the WebSocket wire: workers of AstraFlow that lie, repeat themselves, come in hundreds, and never read."""
import http.client
import json
import struct
import zlib

from hostile import POOL, Peer, leave
from ws_wire import BINARY, CLOSE, PING, TEXT, Voice, frame, join, upgrade

FLOOD = 60              # connections of one flood
BIG_BYTES = 200_000     # of the parameters of a task that nobody reads
TASKS = 20
BOMB = zlib.compressobj(9, zlib.DEFLATED, -15)
BOMB = BOMB.compress(b" " * (64 << 20)) + BOMB.flush(zlib.Z_SYNC_FLUSH)
KINDS = ("control.handshake", "control.register", "control.resume", "control.ack", "control.heartbeat", "control.reset", "control.drain", "control.new", "biz.exec.result",
         "biz.exec.error", "biz.exec.feedback", "biz.exec.next.request", "biz.exec.dispatch", "biz.pkg.event", "ext.vendor.h", "handshake", "register", "ack", "heartbeat",
         "result", "error", "command.error", "feedback", "middleware.next_request", "pkg.event", "", "nonsense")
NODE = "h.node"


def text(value):
    return frame(value.encode(errors="replace") if isinstance(value, str) else json.dumps(value).encode())


def habits(secrets):
    tokens = list(secrets.values())

    def voice(dice, **more):
        return Voice(dice.choice(POOL), tenant=dice.choice(["default"] * 6 + ["other", ""]), token=dice.choice([*tokens, *tokens, "forged", ""]), v2=dice.randrange(4) > 0,
                     node=NODE, **more)

    def insider(dice):
        """One that is let in."""
        return Voice(dice.choice(POOL), token=secrets["operator"], node=NODE)

    def payload(dice):
        return dice.choice(({}, dice.json(), {"run_id": dice.word(), "task_id": dice.word(), "status": "SUCCEEDED", "result": {}},
                            {"ok": True, "ack_seq": abs(dice.number()), "ack_bitmap": abs(dice.number()), "recv_window": dice.choice((1, 64, 2**40))},
                            {"code": dice.word(), "message": dice.word()}, {"healthy": True, "metrics": {"inflight": dice.number()}},
                            {"session_id": dice.word(), "session_token": dice.word(), "last_seen_seq": dice.number()},
                            {"requestId": dice.word(), "runId": dice.word(), "nodeId": "n", "middlewareId": "n"}))

    def any_frame(dice, who):
        more = {}
        if dice.randrange(2):
            more["session_seq"] = dice.choice((0, 1, 2, 3, 64, 65, 66, 2**63, 2**64 - 1, -1, "1", None, 1.5))
        if dice.randrange(4) == 0:
            more[dice.choice(("corr", "seq", "flags", "ack", "tenant", "sender", "ts", "id", "h"))] = dice.json()
        return who.frame(dice.choice(KINDS), payload(dice), ask=dice.randrange(2) == 0, **more)

    def submit(address, dice, count, big=False):
        """Tasks of its own to take."""
        jobs = [{"type": NODE, "queue": "h-queue", "needs": [f"node:{NODE}"], "payload": {"x": "p" * BIG_BYTES if big else dice.word()}, "rescues_max": 1000}
                for _ in range(count)]
        connection = http.client.HTTPConnection(address, timeout=5)
        connection.request("POST", "/api/v1/jobs/bulk", json.dumps({"jobs": jobs}), {"Content-Type": "application/json", "Authorization": f"Bearer {secrets['operator']}"})
        connection.getresponse().read()
        connection.close()

    def opened(address, **changed):
        peer = Peer(address)
        peer.send(upgrade(**changed))
        peer.read_some(0.05)
        return peer

    def joined(address, dice, max_parallel=8):
        worker, _ = join(address, insider(dice), max_parallel)
        worker.socket.settimeout(0.5)
        return worker

    def upgrades(address, dice):
        """Requests that are nearly upgrades."""
        peer = Peer(address)
        names = ("Upgrade", "Connection", "Sec_WebSocket_Key", "Sec_WebSocket_Version", "Sec_WebSocket_Extensions", "Origin", "Host")
        changed = {dice.choice(names): dice.choice((None, "", "websocket, h2c", "keep-alive, Upgrade", "0", "x" * 5_000, "permessage-deflate; server_max_window_bits=8",
                                                    "permessage-deflate; x=1, permessage-deflate", "http://evil.example")) for _ in range(dice.randrange(1, 4))}
        request = upgrade(**changed)
        peer.send(dice.broken(request) if dice.randrange(2) else request)
        peer.read_some(0.1)
        leave(peer, dice)

    def valid(address, dice):
        """A whole worker, which takes tasks and says something about some of them."""
        submit(address, dice, TASKS)
        who = insider(dice)
        worker, _ = join(address, who, 8)
        for number in range(1, dice.randrange(2, 20)):
            value = worker.receive(0.1)
            if value is None or value["type"] != "biz.exec.dispatch":
                worker.send(who.heartbeat())
                continue
            worker.send(who.ack(value, value["session_seq"]))
            worker.send(dice.choice((who.result(value, number, {"h": 1}), who.feedback(number, value["payload"]["run_id"], value["payload"]["task_id"]),
                                     who.running_already(value, number), any_frame(dice, who))))
        worker.close()

    def wrong_order(address, dice):
        who = voice(dice)
        frames = [who.handshake(), who.register(dice.choice((1, 64, 2**40, 0))), who.heartbeat(), who.feedback(1), who.resume({"session_id": "s", "session_token": "a.b"}, 0)]
        dice.shuffle(frames)
        peer = opened(address)
        for value in frames[:dice.randrange(1, 6)]:
            peer.send(text(value))
        peer.read_some(0.1)
        leave(peer, dice)

    def envelopes(address, dice):
        who = voice(dice)
        peer = opened(address)
        peer.send(text(who.handshake()) + text(who.register(4)))
        peer.read_some(0.05)
        for _ in range(dice.randrange(1, 20)):
            peer.send(text(any_frame(dice, who)) if dice.randrange(4) else text(dice.json_text()))
        peer.read_some(0.1)
        leave(peer, dice)

    def broken(address, dice):
        who = insider(dice)
        peer = opened(address)
        bytes_sent = b"".join(text(value) for value in (who.handshake(), who.register(4), who.heartbeat(), who.feedback(1), any_frame(dice, who)))
        peer.send(dice.broken(bytes_sent))
        peer.read_some(0.1)
        leave(peer, dice)

    def odd_frames(address, dice):
        """What RFC 6455 forbids, or bounds."""
        peer = opened(address, Sec_WebSocket_Extensions="permessage-deflate")
        peer.send(dice.choice((frame(b"x", TEXT, mask=False), frame(b"x", 3), frame(b"x", 11), frame(b"x", TEXT, reserved=4), frame(b"x", TEXT, reserved=2),
                               frame(b"x" * 126, PING), frame(b"x", CLOSE), frame(struct.pack(">H", 1005), CLOSE), frame(b"\xff\xfe", TEXT), frame(b"{}", BINARY),
                               frame(b"", PING, fin=False), frame(b"x", 0), frame(b"", TEXT, fin=False) * 2, frame(BOMB, TEXT, reserved=4), frame(b"", TEXT, length=2**63 + 1),
                               frame(b"x", TEXT, fin=False) + frame(b"", 0, fin=False) * 50, frame(b"x", TEXT, fin=False) + frame(b"y", 0, fin=False) * 20_000)))
        peer.read_some(0.1)
        leave(peer, dice)

    def oversized(address, dice):
        inside = dice.randrange(2)
        peer = opened(address)
        if inside:
            who = insider(dice)
            peer.send(text(who.handshake()) + text(who.register(1)))
            peer.read_some(0.05)
        peer.send(dice.choice((frame(b"", TEXT, length=17 << 20), frame(b" " * (17 << 20)), frame(b"[" * 100_000), frame(b'{"type":"' + b"x" * 2_000_000 + b'"}'))))
        peer.read_some(0.1)
        leave(peer, dice)

    def forged(address, dice):
        """Resumes with tokens that nobody signed, or that belong to somebody else."""
        who = insider(dice)
        worker, accepted = join(address, who)
        token = accepted["session_token"]
        for lie in ({"session_token": dice.broken(token.encode()).decode("latin-1")}, {"session_id": dice.word()}, {"session_token": token.split(".")[0] + "."}):
            peer = opened(address)
            other = dice.choice((who, Voice("h-other", token="dev", node=NODE), Voice(who.instance, tenant="other")))
            peer.send(text(other.resume({**accepted, **lie}, dice.number())))
            peer.read_some(0.05)
            leave(peer, dice)
        peer = opened(address)
        peer.send(text(who.resume(accepted, dice.choice((0, 1, 2**40, 2**64 - 1)))) * 3)
        peer.read_some(0.05)
        leave(peer, dice)
        worker.close()

    def replayed(address, dice):
        """The same frames again, numbers from before the window and beyond it, and acks of what was never sent."""
        who = insider(dice)
        worker, _ = join(address, who, 4)
        old = [who.feedback(number) for number in (1, 2, 3)] + [who.heartbeat()]
        for _ in range(20):
            value = dice.choice([*old, who.feedback(dice.choice((0, 5, 64, 68, 100, 70_000, 2**64 - 1))), who.ack({"id": "x"}, dice.choice((0, 1, 2**63)), dice.choice((0, 1, 2**64 - 1)))])
            worker.send(value)
        worker.socket.settimeout(0.5)
        while worker.receive(0.05) is not None:
            pass
        worker.close()

    def never_reads(address, dice):
        """Takes what it can hold and more, and reads none of it."""
        submit(address, dice, TASKS, big=True)
        peer = opened(address)
        who = insider(dice)
        peer.send(text(who.handshake()) + text(who.register(64)))
        peer.send(b"".join(text(who.feedback(number)) for number in range(1, 60)))
        peer.read_some(0.0)
        for _ in range(dice.randrange(1, 10)):
            peer.send(frame(b"p" * 125, PING) * 200)
        leave(peer, dice)

    def flood(address, dice):
        peers = []
        try:
            for _ in range(FLOOD):
                peers.append(Peer(address))
                peers[-1].send(upgrade() if dice.randrange(4) else upgrade()[:-2])
            peers[0].read_some(0.2)
        finally:
            for peer in peers:
                peer.reset()

    def drips(address, dice):
        who = insider(dice)
        peer = opened(address)
        peer.drip(text(who.handshake()) + text(who.register(1)))
        leave(peer, dice)

    return [upgrades, valid, valid, wrong_order, envelopes, broken, odd_frames, oversized, forged, replayed, never_reads, flood, drips]
