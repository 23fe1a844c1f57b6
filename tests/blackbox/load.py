"""Load over HTTP that outlives faults, and a ledger outside the server of what was promised.

Callers keep their connection alive and go on at the next address when one breaks. Submitters repeat under the same idempotency key and
workers under the same fence until somebody knows, as clients should. Whatever breaks, the ledger says whether a promise was broken.
"""
import http.client
import json
import threading
import time
import uuid

from harness import DEADLINE_SECONDS, claim

PATIENCE_SECONDS = 3 * DEADLINE_SECONDS  # for a whole load; a quiet machine needs a tenth of it
PAUSE_SECONDS = 0.02  # after a refusal, so that waiting for a server does not take the machine away from it
NOT_NOW = (429, 503, 504)


class Ledger:
    """What the outside was told, by job id."""

    def __init__(self):
        self.lock = threading.Lock()
        self.acknowledged = {}   # id -> idempotency key
        self.by_key = {}         # idempotency key -> id
        self.completed = {}      # id -> set of fences under which a completion was answered 200
        self.granted = {}        # id -> newest fence
        self.grants = {}         # id -> how often it was granted
        self.wrong = []

    def submitted(self, key, job):
        with self.lock:
            if self.by_key.setdefault(key, job) != job:
                self.wrong.append(f"key {key} stands for two jobs")
            self.acknowledged[job] = key

    def took(self, job, fence):
        with self.lock:
            if job in self.completed:
                self.wrong.append(f"{job} was granted again after its completion")
            if fence <= self.granted.get(job, -1):
                self.wrong.append(f"{job} was granted with fence {fence} after {self.granted[job]}")
            self.granted[job] = max(fence, self.granted.get(job, -1))
            self.grants[job] = self.grants.get(job, 0) + 1

    def finished(self, job, fence):
        with self.lock:
            fences = self.completed.setdefault(job, set())
            fences.add(fence)
            if len(fences) > 1:
                self.wrong.append(f"{job} was completed twice, under fences {sorted(fences)}")

    def complain(self, text):
        with self.lock:
            self.wrong.append(text)


class Caller:
    """One keep-alive connection. `addresses` gives those worth trying at the moment; a broken connection moves on to the next."""

    def __init__(self, addresses, home=0, token=None):
        self.addresses, self.home = addresses, home
        self.headers = {"Content-Type": "application/json", **({"Authorization": f"Bearer {token}"} if token else {})}
        self.connection = None

    def call(self, method, path, body=None):
        """Status and body, or None when the connection broke and nobody knows."""
        if self.connection is None:
            addresses = self.addresses()
            if not addresses:
                time.sleep(PAUSE_SECONDS)
                return None
            self.connection = http.client.HTTPConnection(addresses[self.home % len(addresses)], timeout=DEADLINE_SECONDS)
        try:
            self.connection.request(method, path, json.dumps(body) if body is not None else None, self.headers)
            reply = self.connection.getresponse()
            return reply.status, json.loads(reply.read() or b"null")
        except (OSError, http.client.HTTPException, ValueError):
            self.close()
            self.home += 1
            time.sleep(PAUSE_SECONDS)
            return None

    def close(self):
        if self.connection is not None:
            self.connection.close()
        self.connection = None


class Load:
    """What its threads share: the addresses, the ledger, and whether it is over."""

    def __init__(self, addresses, token=None):
        self.addresses, self.token = addresses, token
        self.ledger = Ledger()
        self.stopping = False
        self.threads = []

    def add(self, thread):
        self.threads.append(thread)
        thread.start()
        return thread

    def stop(self):
        self.stopping = True
        for thread in self.threads:
            thread.join(DEADLINE_SECONDS)
        stuck = [thread.name for thread in self.threads if thread.is_alive()]
        claim(not stuck, f"every client came to an end {stuck}")

    def done(self, count):
        return len(self.ledger.completed) >= count or bool(self.ledger.wrong)


class Submitter(threading.Thread):
    """Submits `count` jobs one by one, to each address in turn."""

    def __init__(self, load, count, spec, name="submitter"):
        super().__init__(daemon=True, name=name)
        self.load, self.count, self.spec = load, count, spec
        self.callers = [Caller(load.addresses, home, load.token) for home in range(max(1, len(load.addresses())))]

    def run(self):
        for number in range(self.count):
            self.submit(self.callers[number % len(self.callers)])
            if self.load.stopping:
                break
        for caller in self.callers:
            caller.close()

    def submit(self, caller):
        key = uuid.uuid4().hex
        while not self.load.stopping:
            reply = caller.call("POST", "/api/v1/jobs", {**self.spec, "idempotency_key": key, "payload": {"key": key}})
            if reply is None:
                continue
            if reply[0] in (200, 201):
                return self.load.ledger.submitted(key, reply[1]["id"])
            if reply[0] not in NOT_NOW:
                return self.load.ledger.complain(f"submit was answered {reply}")
            time.sleep(PAUSE_SECONDS)


class Worker(threading.Thread):
    """Registers, beats, claims in batches and completes, and survives what happens to servers. It takes the next batch when it holds
    nothing, so a claim that nobody answered can be given up by a new registration."""

    BEAT_MS = 1000

    def __init__(self, load, worker, home=0, batch=10, wait_ms=500, dead_after_ms=5000, queues=(), together=False):
        super().__init__(daemon=True, name=worker)
        self.load, self.worker, self.batch, self.wait_ms, self.dead_after_ms = load, worker, batch, wait_ms, dead_after_ms
        self.queues, self.together = list(queues), together
        self.caller = Caller(load.addresses, home, load.token)
        self.session = None     # the one the server gave
        self.known = False      # whether it still knows it, as far as we were told
        self.beat_at = 0.0
        self.registrations = self.completions = 0
        self.seen = {}          # status -> how often; a broken connection counts as 0

    def call(self, method, path, body):
        reply = self.caller.call(method, path, body)
        status = reply[0] if reply else 0
        self.seen[status] = self.seen.get(status, 0) + 1
        if status in NOT_NOW:
            time.sleep(PAUSE_SECONDS)
        return reply

    def run(self):
        while not self.load.stopping:
            if not self.known:
                self.register()
            elif time.monotonic() >= self.beat_at:
                self.beat()
            else:
                self.work()
        self.caller.close()

    def register(self):
        body = {"id": self.worker, "slots": 2 * self.batch, "queues": self.queues, "heartbeat_ms": self.BEAT_MS, "dead_after_ms": self.dead_after_ms}
        if self.session is not None:
            body["resume"] = self.session
        reply = self.call("POST", "/api/v1/workers", body)
        if reply and reply[0] == 201:
            self.session, self.known = reply[1]["session"], True
            self.registrations += 1
            self.beat_at = time.monotonic() + self.BEAT_MS / 1000
        elif reply and reply[0] not in NOT_NOW:
            self.load.ledger.complain(f"{self.worker}: registration was answered {reply}")
            time.sleep(PAUSE_SECONDS)

    def beat(self):
        reply = self.call("POST", f"/api/v1/workers/{self.worker}/heartbeat", {"session": self.session})
        if reply and reply[0] == 200:
            self.beat_at = time.monotonic() + self.BEAT_MS / 1000
        elif reply and reply[0] not in NOT_NOW:
            self.known = False

    def work(self):
        reply = self.call("POST", "/api/v1/jobs/claim", {"worker": self.worker, "session": self.session, "limit": self.batch, "wait_ms": self.wait_ms})
        if reply is None or reply[0] == 504:
            self.session, self.known = None, False  # a new registration hands back what this one may hold without knowing
        elif reply[0] == 200:
            for grant in reply[1]["jobs"]:
                self.load.ledger.took(grant["id"], grant["fence"])
            self.complete(reply[1]["jobs"])
        elif reply[0] not in NOT_NOW:
            self.known = False

    def complete(self, grants):
        if self.together and grants:
            return self.settle(grants)
        for grant in grants:
            while not self.load.stopping:
                reply = self.call("POST", f"/api/v1/jobs/{grant['id']}/complete", {"fence": grant["fence"], "result": {"by": self.worker}})
                if reply is not None and reply[0] not in NOT_NOW:
                    self.judge(grant, reply[0], reply)
                    break

    def settle(self, grants):
        """All outcomes in one request, those that nobody knows about again."""
        while grants and not self.load.stopping:
            items = [{"id": grant["id"], "fence": grant["fence"], "result": {"by": self.worker}} for grant in grants]
            reply = self.call("POST", "/api/v1/jobs/settle", {"complete": items})
            if reply is None or reply[0] in NOT_NOW:
                continue
            if reply[0] != 200:
                return self.load.ledger.complain(f"settle was answered {reply}")
            again = []
            for grant, outcome in zip(grants, reply[1]["complete"]):
                code = outcome.get("error", {}).get("code", "")
                if code in ("unavailable", "outcome_unknown", "exhausted"):
                    again.append(grant)
                else:
                    self.judge(grant, {"": 200, "lease_lost": 409, "not_found": 404}.get(code, 500), outcome)
            grants = again

    def judge(self, grant, status, reply):
        if status == 200:
            self.completions += 1
            self.load.ledger.finished(grant["id"], grant["fence"])
        elif status != 409:
            self.load.ledger.complain(f"complete of {grant['id']} was answered {reply}")


def states(server, query="", token=None):
    """Every job, by id."""
    found, cursor = {}, ""
    while True:
        status, page = server.call("GET", f"/api/v1/jobs?limit=1000&order=oldest{query}{'&cursor=' + cursor if cursor else ''}", token=token)
        if status != 200:
            claim(False, f"the jobs can be listed ({status} {page})")
        for job in page["jobs"]:
            found[job["id"]] = job
        cursor = page.get("next", "")
        if not cursor:
            return found


def claim_all_done(ledger, held, total):
    """The whole promise: what was acknowledged is completed, once, and nothing else is there."""
    lost = [job for job in ledger.acknowledged if job not in held]
    undone = [job for job in ledger.completed if held.get(job, {}).get("state") != "completed"]
    open_jobs = [(job, entry["state"]) for job, entry in held.items() if entry["state"] != "completed"]
    strange = [job for job in held if job not in ledger.acknowledged]
    twice = [job for job, fences in ledger.completed.items() if len(fences) > 1]
    claim(not ledger.wrong, f"no promise was broken {ledger.wrong[:3]}")
    claim(len(ledger.acknowledged) == total, f"{total} jobs were acknowledged ({len(ledger.acknowledged)})")
    claim(not lost, f"acknowledged jobs lost: {len(lost)} {lost[:3]}")
    claim(not strange, f"jobs nobody was told about: {len(strange)} {strange[:3]}")
    claim(not open_jobs, f"jobs left unfinished: {len(open_jobs)} {open_jobs[:3]}")
    claim(not undone, f"acknowledged completions undone: {len(undone)}")
    claim(not twice, f"completed twice: {len(twice)}")
