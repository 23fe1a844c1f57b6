"""What the black-box tests share: the shipped program in a folder of its own, and claims that say what they found.

No test sleeps for a fixed time: it waits on the ready line, on an exit, or polls with a deadline.
"""
import atexit
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import urllib.error
import urllib.request

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
MUSTER = os.environ.get("MUSTER", str(ROOT / "build" / "muster"))
# How long a test waits for what must come; tools/run_tests.py lengthens it for slow builds. A wait ends as soon as it can.
DEADLINE_SECONDS = int(os.environ.get("MUSTER_TEST_PATIENCE_SECONDS", "60"))
READY = re.compile(r"^muster ready resp=(\S+) grpc=(\S+) http=(\S+) store=(\S+?)(?: listen=(\S+))?$")

# Programs under a sanitizer are slow and need memory of their own for everything they touch.
SANITIZED = os.environ.get("MUSTER_PRESET") in ("asan", "tsan")
# A proxy of the environment is not on the way to a server of this machine.
direct = urllib.request.build_opener(urllib.request.ProxyHandler({}))
_folders = []
_closers = []


def at_end(closer):
    """Called when the test ends, however it does; the last one given goes first, and servers end before all of them."""
    _closers.append(closer)


def folder():
    path = tempfile.mkdtemp(prefix="muster-blackbox-")
    _folders.append(path)
    return path


def claim(holds, text):
    """One thing the test shows. The first that does not hold ends it."""
    print(f"{'ok  ' if holds else 'FAIL'} {text}", flush=True)
    if not holds:
        finish(1)


def finish(code=0):
    sys.exit(code)


@atexit.register
def tidy():
    for server in Server.running[:]:
        server.kill()
    while _closers:
        _closers.pop()()
    for path in _folders:
        shutil.rmtree(path, ignore_errors=True)


def until(condition, what, seconds=DEADLINE_SECONDS):
    """Polls until the condition gives something true, and returns it."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        value = condition()
        if value:
            return value
        time.sleep(0.02)
    claim(False, f"{what} within {seconds} s")


def until_answer(call, accepted, what):
    """Repeats the call until its answer is accepted, and returns the answer."""
    answers = []

    def asked():
        answers.append(call())
        return accepted(answers[-1])

    until(asked, what)
    return answers[-1]


class Server:
    """`muster serve` (or another command that prints the ready line) as a child process."""

    running = []

    def __init__(self, *arguments, data_dir=None, command="serve", env=None, program=None, prefix=(), usual=()):
        """`usual`: listeners that nothing is said about."""
        self.data_dir = data_dir or folder()
        self.stderr_path = os.path.join(folder(), "stderr")
        self.lines = []
        # Ports of their own: tests run side by side, and beside a server on the usual ones.
        listen = []
        for flag, address in (("--http", "127.0.0.1:0"), ("--resp", "off"), ("--grpc", "off")):
            listen += [] if flag in arguments or flag in usual else [flag, address]
        self.command = [*prefix, program or MUSTER, command, "--data-dir", self.data_dir, *listen, *arguments]
        with open(self.stderr_path, "wb") as stderr:
            self.process = subprocess.Popen(self.command, stdout=subprocess.PIPE, stderr=stderr, text=True,
                                            env={**clean_environment(), **(env or {})})
        Server.running.append(self)
        self._ready = threading.Event()
        self.ready_line = None
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self):
        for line in self.process.stdout:
            self.lines.append(line.rstrip("\n"))
            if self.ready_line is None and READY.match(self.lines[-1]):
                self.ready_line = self.lines[-1]
                self._ready.set()
        self._ready.set()

    def ready(self):
        if not self._ready.wait(DEADLINE_SECONDS) or self.ready_line is None:
            print(self.stderr(), file=sys.stderr)
            claim(False, "the ready line is printed")
        self.address = READY.match(self.ready_line).group(3)
        self.url = f"http://{self.address}"
        return self

    def stderr(self):
        return pathlib.Path(self.stderr_path).read_text(errors="replace")

    def signal(self, number):
        self.process.send_signal(number)

    def wait(self):
        """The exit code."""
        try:
            code = self.process.wait(DEADLINE_SECONDS)
        except subprocess.TimeoutExpired:
            print(self.stderr(), file=sys.stderr)
            claim(False, f"the process ends within {DEADLINE_SECONDS} s")
        if self in Server.running:
            Server.running.remove(self)
        self._reader.join(DEADLINE_SECONDS)
        return code

    def stop(self):
        self.signal(signal.SIGTERM)
        return self.wait()

    def kill(self):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        if self in Server.running:
            Server.running.remove(self)

    def call(self, method, path, body=None, token=None, timeout=DEADLINE_SECONDS):
        """Status and decoded body."""
        request = urllib.request.Request(self.url + path, method=method)
        if body is not None:
            request.data = json.dumps(body).encode()
            request.add_header("Content-Type", "application/json")
        if token:
            request.add_header("Authorization", f"Bearer {token}")
        try:
            with direct.open(request, timeout=timeout) as reply:
                return reply.status, decode(reply.read())
        except urllib.error.HTTPError as error:
            return error.code, decode(error.read())

    def key(self):
        """The operator key that was generated for it."""
        return pathlib.Path(self.data_dir, "session.key").read_text().strip()

    def readiness(self):
        """Status and reason of /readyz, as those who show a token read it."""
        return self.call("GET", "/readyz", token=self.key())


def decode(body):
    try:
        return json.loads(body)
    except ValueError:
        return body.decode(errors="replace")


def clean_environment():
    """Without what a developer has set for a server of their own."""
    return {name: value for name, value in os.environ.items() if not name.startswith("MUSTER_") and name != "ANTHROPIC_API_KEY"}


def run(*arguments, env=None, program=None, prefix=()):
    """A command that ends by itself: exit code, stdout, stderr."""
    done = subprocess.run([*prefix, program or MUSTER, *arguments], capture_output=True, text=True, timeout=DEADLINE_SECONDS,
                          stdin=subprocess.DEVNULL, env={**clean_environment(), **(env or {})})
    return done.returncode, done.stdout, done.stderr


def as_nobody():
    """How to run the program as a user without rights: a prefix, and a copy of the program that this user can reach."""
    if os.geteuid() != 0:
        return (), MUSTER
    place = folder()
    os.chmod(place, 0o755)
    copy = shutil.copy(MUSTER, place)
    os.chmod(copy, 0o755)
    return ("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"), copy


def small_file_system(megabytes):
    """A file system of this size for the test alone and how it was made, or None where this user may not mount."""
    place = folder()
    made = None
    if subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={megabytes}m", "none", place], capture_output=True).returncode == 0:
        made = "tmpfs"
    else:
        image = os.path.join(folder(), "image")
        with open(image, "wb") as file:
            file.truncate(megabytes * 1024 * 1024)
        if (subprocess.run(["mkfs.ext4", "-q", "-F", image], capture_output=True).returncode == 0
                and subprocess.run(["mount", "-o", "loop", image, place], capture_output=True).returncode == 0):
            made = "ext4 on a loop device"
    if made is None:
        return None
    at_end(lambda: subprocess.run(["umount", "-l", place], capture_output=True))
    return place, made
