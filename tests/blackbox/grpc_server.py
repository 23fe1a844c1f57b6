"""What the gRPC black boxes share: a server with a gRPC listener and short settings, and the Node.js programs of tests/node/grpc."""
import json
import os
import queue
import subprocess
import threading

import harness
import node

# A silent worker is given up after seconds, and its runs with it; an empty poll ends in seconds; everything else is as it comes. Where
# programs are slow, so are the workers of the cases.
STALE_SECONDS = 12 if harness.SANITIZED else 4
SHORT = {
    "KAGZI_WORKER_HEARTBEAT_INTERVAL_SECS": "3" if harness.SANITIZED else "1",
    "KAGZI_COORDINATOR_WORKER_STALE_THRESHOLD_SECS": str(STALE_SECONDS),
    "KAGZI_WORKER_VISIBILITY_TIMEOUT_SECS": str(STALE_SECONDS),
    "KAGZI_POLL_TIMEOUT_SECS": "5",
}


def serve(*arguments, settings=None, **more):
    """A server with gRPC on a free port, ready; `settings` replaces the short ones."""
    flags = [] if "--grpc" in arguments else ["--grpc", "127.0.0.1:0"]
    env = {**(SHORT if settings is None else settings), **more.pop("env", {})}
    server = harness.Server(*flags, *arguments, env=env, **more).ready()
    server.grpc = harness.READY.match(server.ready_line).group(2)
    return server


def again(server, *arguments, **more):
    """The same server after its end: same data, same gRPC address."""
    return serve("--grpc", server.grpc, *arguments, data_dir=server.data_dir, **more)


def _environment():
    return {**os.environ, "NODE_PATH": str(node.installed() / "node_modules")}


def play(script, *arguments, seconds=2 * harness.DEADLINE_SECONDS, env=None):
    """Runs a program whose lines go to our output; gives its exit code."""
    process = subprocess.Popen(["node", str(node.SOURCES / "grpc" / script), *arguments], env={**_environment(), **(env or {})})
    harness.at_end(lambda: process.poll() is None and process.kill())
    try:
        return process.wait(seconds)
    except subprocess.TimeoutExpired:
        process.kill()
        harness.claim(False, f"{script} {' '.join(arguments)} ends within {seconds} s")


class Talk:
    """A program of tests/node/grpc that writes lines, JSON unless said otherwise, and reads a line when it is told to go on."""

    def __init__(self, script, *arguments, decode=json.loads):
        self._decode = decode
        self.process = subprocess.Popen(["node", str(node.SOURCES / "grpc" / script), *arguments], env=_environment(), text=True,
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.said = []
        self._lines = queue.Queue()
        harness.at_end(self.kill)
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self):
        for line in self.process.stdout:
            self._lines.put(line)

    def told(self):
        """Everything it has said so far."""
        while not self._lines.empty():
            self.said.append(self._decode(self._lines.get()))
        return self.said

    def until(self, what, accepted, seconds=harness.DEADLINE_SECONDS):
        """The first thing it said that is accepted, as soon as it is said."""
        return harness.until(lambda: next((each for each in self.told() if accepted(each)), None), what, seconds)

    def go_on(self):
        self.process.stdin.write("\n")
        self.process.stdin.flush()

    def kill(self):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()


class Caller(Talk):
    """Calls one method after the other in a process that lives through restarts: ask() gives the answer or the refusal."""

    def __init__(self, server):
        super().__init__("caller.cjs", server.grpc)
        self.count = 0

    def ask(self, service, method, **request):
        self.count += 1
        self.process.stdin.write(json.dumps({"id": self.count, "service": service, "method": method, "request": request}) + "\n")
        self.process.stdin.flush()
        answer = self.until(f"an answer to {method}", lambda each, mine=self.count: each["id"] == mine)
        if "refused" in answer:
            harness.claim(False, f"{method}: {answer['refused']}: {answer['text']}")
        return answer["value"]

    def start(self, namespace, external_id):
        return self.ask("v1.WorkflowService", "StartWorkflow", namespace=namespace, external_id=external_id, task_queue="q", workflow_type="W")["run_id"]

    def run(self, namespace, run_id):
        return self.ask("v1.WorkflowService", "GetWorkflow", namespace=namespace, run_id=run_id)["workflow"]

    def completed(self, namespace, run_id):
        return self.run(namespace, run_id)["status"] == "WORKFLOW_STATUS_COMPLETED"


def said(worker, word):
    return [each[word] for each in worker.told() if word in each]
