"""What the black-box tests of agents share: the stand-in for the model's API, a server that talks to it, and tools run by this program."""
import atexit
import json
import os
import subprocess
import threading
import time
import urllib.request

from harness import DEADLINE_SECONDS, MUSTER, Server, claim, direct, folder, run, until

BUILD = os.environ.get("MUSTER_BUILD", os.path.dirname(MUSTER))
STAND_IN = os.path.join(BUILD, "tests", "claude_stand_in")
KEY = "sk-test-0123456789-very-secret"


class StandIn:
    """A process of its own, so that it outlives every server of the test and remembers each call."""

    def __init__(self, script):
        path = os.path.join(folder(), "script.json")
        with open(path, "w", encoding="utf-8") as out:
            json.dump(script, out)
        self.process = subprocess.Popen([STAND_IN, "--script", path, "--key", KEY], stdout=subprocess.PIPE, text=True)
        atexit.register(self.process.kill)
        line = self.process.stdout.readline()
        claim(line.startswith("ready http="), f"the stand-in for the model's API listens: {line.strip()}")
        self.url = "http://" + line.strip().partition("=")[2]

    def journal(self):
        """Every request, oldest first."""
        with direct.open(self.url + "/journal", timeout=DEADLINE_SECONDS) as answer:
            return [json.loads(line) for line in answer.read().decode().splitlines() if line.strip()]

    def calls(self, path="/v1/messages"):
        return [entry for entry in self.journal() if entry["path"] == path and entry["method"] == "POST"]


def serve(stand_in, *arguments, data_dir=None, env=None):
    return Server(*arguments, data_dir=data_dir,
                  env={"MUSTER_AGENTS_BASE_URL": stand_in.url, "ANTHROPIC_API_KEY": KEY, **(env or {})}).ready()


def cli(server, *arguments, code=0, parse=True):
    """`muster …`, with JSON out; the exit code is a claim."""
    done, out, err = run("--server", server.url, *(["--output", "json"] if parse else []), *arguments)
    if done != code:
        print(out, err)
        claim(False, f"{' '.join(arguments[:3])} exits with {code}, not {done}")
    return json.loads(out) if parse and out.strip() else out


class Tools(threading.Thread):
    """A worker over HTTP that runs tools with functions of this program, and counts how often each input was run; `done` has those whose
    result the server has taken."""

    def __init__(self, server, tools, worker="tools-1"):
        super().__init__(daemon=True)
        self.server, self.tools, self.worker = server, tools, worker
        self.runs, self.done, self.stopped, self.lock = [], [], False, threading.Lock()
        self.start()

    def ask(self, path, body):
        request = urllib.request.Request(self.server.url + path, json.dumps(body).encode(), {"Content-Type": "application/json"})
        with direct.open(request, timeout=DEADLINE_SECONDS) as answer:
            return json.loads(answer.read() or b"null")

    def run(self):
        session = None
        while not self.stopped:
            try:
                if session is None:
                    session = self.ask("/api/v1/workers", {"id": self.worker, "capabilities": [f"tool:{name}" for name in self.tools],
                                                           "slots": 8, "queues": ["tools"]})["session"]
                jobs = self.ask("/api/v1/jobs/claim", {"worker": self.worker, "session": session, "wait_ms": 500})["jobs"]
                for job in jobs:
                    result = self.tools[job["type"]](job["payload"])
                    with self.lock:
                        self.runs.append((job["type"], json.dumps(job["payload"], sort_keys=True)))
                    self.ask(f"/api/v1/jobs/{job['id']}/complete", {"fence": job["fence"], "result": result})
                    with self.lock:
                        self.done.append(job["type"])
            except (OSError, ValueError):
                session = None  # the server is away, or this worker was given up: it registers again
                time.sleep(0.05)

    def stop(self):
        self.stopped = True
        self.join(DEADLINE_SECONDS)


def ended(server, run_id):
    """The run when it is final."""
    def seen():
        _, body = server.call("GET", f"/api/v1/agent-runs/{run_id}?wait_ms=2000")
        return body if body.get("state") in ("completed", "failed", "cancelled") else None

    return until(seen, f"run {run_id} ends")


def state_of(server, run_id):
    return server.call("GET", f"/api/v1/agent-runs/{run_id}")[1]["state"]


def start(server, agent, prompt, **more):
    status, body = server.call("POST", "/api/v1/agent-runs", {"agent": agent, "prompt": prompt, **more})
    claim(status == 201, f"a run of {agent} starts ({status})")
    return body["id"]
