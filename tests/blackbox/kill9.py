#!/usr/bin/env python3
"""Goal: `kill -9` at any moment loses no acknowledged job and completes none twice (rules 1 and 2).

Method: clients submit with idempotency keys and workers claim and complete over keep-alive connections; the server is killed at a random
moment of the load and started again on the same folder, round after round. What was answered 2xx is remembered outside the
server and compared with what it holds at the end. `--rounds 50` is the full proof; ./dev test runs a few.
"""
import argparse
import http.client
import json
import random
import threading
import time
import uuid

from harness import DEADLINE_SECONDS, Server, claim, finish, folder, until
from load import Ledger, states

parser = argparse.ArgumentParser()
parser.add_argument("--rounds", type=int, default=5)
parser.add_argument("--seed", type=int, default=random.randrange(1 << 30))
options = parser.parse_args()
dice = random.Random(options.seed)
SUBMITTERS, WORKERS = 4, 4
LEASE_MS = 5000


class Caller(threading.Thread):
    """One keep-alive connection that survives restarts: it finds the server's new address and goes on."""

    def __init__(self, world):
        super().__init__(daemon=True)
        self.world = world
        self.connection = None

    def call(self, method, path, body=None):
        """Status and body, or None when the connection broke and nobody knows."""
        address = self.world.address
        if address is None:
            time.sleep(0.01)
            return None
        try:
            if self.connection is None:
                self.connection = http.client.HTTPConnection(address, timeout=DEADLINE_SECONDS)
            self.connection.request(method, path, json.dumps(body) if body is not None else None, {"Content-Type": "application/json"})
            reply = self.connection.getresponse()
            return reply.status, json.loads(reply.read() or b"null")
        except (OSError, http.client.HTTPException, ValueError):
            if self.connection is not None:
                self.connection.close()
            self.connection = None
            return None


class Submitter(Caller):
    def run(self):
        while not self.world.stopping:
            key = uuid.uuid4().hex
            while not self.world.stopping:
                reply = self.call("POST", "/api/v1/jobs", {"type": "kill9", "idempotency_key": key, "payload": {"key": key}, "lease_ms": LEASE_MS,
                                                            "rescues_max": 1000})
                if reply and reply[0] in (200, 201):
                    self.world.ledger.submitted(key, reply[1]["id"])
                    break
                if reply and reply[0] not in (429, 503, 504):
                    self.world.ledger.wrong.append(f"submit was answered {reply}")
                    return


class Worker(Caller):
    def __init__(self, world, name):
        super().__init__(world)
        self.worker = name
        self.session = None

    def run(self):
        while not self.world.stopping:
            if self.session is None:
                reply = self.call("POST", "/api/v1/workers", {"id": self.worker, "slots": 8, "heartbeat_ms": 1000, "dead_after_ms": LEASE_MS})
                if reply and reply[0] == 201:
                    self.session = reply[1]["session"]
                continue
            reply = self.call("POST", "/api/v1/jobs/claim", {"worker": self.worker, "session": self.session, "limit": 4, "wait_ms": 200})
            if reply is None or reply[0] in (404, 409):
                self.session = None  # another registration hands back what this one may still hold
                continue
            if reply[0] != 200:
                continue
            for grant in reply[1]["jobs"]:
                self.world.ledger.took(grant["id"], grant["fence"])
            for grant in reply[1]["jobs"]:
                self.complete(grant)

    def complete(self, grant):
        while not self.world.stopping:
            reply = self.call("POST", f"/api/v1/jobs/{grant['id']}/complete", {"fence": grant["fence"], "result": {"by": self.worker}})
            if reply is None or reply[0] in (429, 503, 504):
                continue  # repeated under the same fence until somebody knows
            if reply[0] == 200:
                self.world.ledger.finished(grant["id"], grant["fence"])
            elif reply[0] not in (404, 409):
                self.world.ledger.wrong.append(f"complete was answered {reply}")
            return


class World:
    def __init__(self):
        self.ledger = Ledger()
        self.stopping = False
        self.address = None
        self.data_dir = folder()
        self.server = None

    def start(self):
        self.server = Server(data_dir=self.data_dir).ready()
        self.address = self.server.address

    def kill(self):
        self.server.kill()
        self.address = None


world = World()
world.start()
callers = [Submitter(world) for _ in range(SUBMITTERS)] + [Worker(world, f"w{i}") for i in range(WORKERS)]
for caller in callers:
    caller.start()
for number in range(options.rounds):
    before = len(world.ledger.acknowledged)
    until(lambda: len(world.ledger.acknowledged) > before + 20 or world.ledger.wrong, "some jobs are acknowledged")
    end = time.monotonic() + dice.uniform(0.0, 0.4)
    until(lambda: time.monotonic() >= end, "a random moment comes")
    world.kill()
    with world.ledger.lock:
        acknowledged, completed = set(world.ledger.acknowledged), set(world.ledger.completed)
    world.start()
    held = states(world.server)
    gone = [job for job in acknowledged if job not in held]
    reopened = [job for job in completed if held.get(job, {}).get("state") != "completed"]
    if gone or reopened or world.ledger.wrong:
        print(f"round {number}: {len(gone)} acknowledged jobs are gone, {len(reopened)} completions are undone")
        break
world.stopping = True
for caller in callers:
    caller.join(DEADLINE_SECONDS)
held = states(world.server)
lost = [job for job in world.ledger.acknowledged if job not in held]
undone = [job for job in world.ledger.completed if held.get(job, {}).get("state") != "completed"]
odd = [job for job, entry in held.items() if entry["state"] == "dead"]
print(f"seed {options.seed}: {options.rounds} rounds, {len(world.ledger.acknowledged)} jobs acknowledged, {len(world.ledger.completed)} completions acknowledged")
claim(not world.ledger.wrong, f"no promise was broken {world.ledger.wrong[:3]}")
claim(len(world.ledger.acknowledged) > 20 * options.rounds and world.ledger.completed, "the load was real")
claim(not lost, f"acknowledged jobs lost: {len(lost)}")
claim(not undone, f"acknowledged completions undone: {len(undone)}")
twice = [job for job, fences in world.ledger.completed.items() if len(fences) > 1]
claim(not twice, f"completed twice: {len(twice)}")
claim(not odd, f"dead without having failed: {len(odd)}")
claim(world.server.stop() == 0, "the server ends in order")
finish()
