#!/usr/bin/env python3
"""Runs every test there is and ends with one line: `N passed, N failed`.

What runs: the house rules (layers, limits, headers), the test programs that CMake registered, and the scripts
of tests/blackbox. A GoogleTest program counts by its cases, everything else counts as one. One scratch PostgreSQL serves the whole
run: its addresses are in the environment of every test, and without it nothing runs.
"""
import argparse
import concurrent.futures
import contextlib
import fnmatch
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time

import scratch_postgres

ROOT = pathlib.Path(__file__).resolve().parent.parent
# How long a test waits for what must come. Every time-out of every test is a multiple of it, so a slow build needs one number.
PATIENCE_SECONDS = {"release": 60, "debug": 90, "clang": 90, "asan": 180, "tsan": 240}
PATIENCE_VARIABLE = "MUSTER_TEST_PATIENCE_SECONDS"
PROGRAM_PATIENCES = 20  # after so many of them a whole program or script counts as stuck
SERVERS_MORE = 1  # scripts under way beside one for each core
ALONE = {"hostile_day"}  # promises how soon a server answers among hostile peers, who use every core themselves
# Programs whose cases are many and wait for a database: in parts they use every core, and a part that hangs is found sooner.
SHARDS = {"store_contract": 4}
CASE_FAILED = re.compile(r"^\[  FAILED  \] ([^\s,]+)(?:, where .*)? \(\d+ ms\)$", re.M)
CASE_OK = re.compile(r"^\[       OK \] (\S+) \(\d+ ms\)$", re.M)
CASE_SKIPPED = re.compile(r"^\[  SKIPPED \] (\S+) \(\d+ ms\)$", re.M)
CASE_STARTED = re.compile(r"^\[ RUN      \] (\S+)$", re.M)


class Test:
    def __init__(self, name, command, kind, cost, shard=None):
        self.name, self.command, self.kind, self.cost = name, command, kind, cost
        self.shard = shard  # (which, of how many): a part of the cases of a GoogleTest program
        self.whole_server = kind in ("script", "program")  # mostly waits: for a server to start, to die, to time out


class Outcome:
    def __init__(self, test, passed, failed, skipped, seconds, output, failures):
        self.test, self.passed, self.failed, self.skipped = test, passed, failed, skipped
        self.seconds, self.output, self.failures = seconds, output, failures


def environment(build, preset, database):
    """What every test is given. What the caller's shell holds about a server must not reach them: they set what they need."""
    env = {name: value for name, value in os.environ.items() if not name.startswith("MUSTER_")}
    env |= {"MUSTER": str(build / "muster"), "MUSTER_BUILD": str(build), "MUSTER_PRESET": preset,
            PATIENCE_VARIABLE: str(PATIENCE_SECONDS[preset])}
    # What libraries without the sanitizer do with memory is not judged: their locks are not seen, and each access would look like a race.
    env.setdefault("TSAN_OPTIONS", f"halt_on_error=1:ignore_noninstrumented_modules=1:suppressions={ROOT / 'tools' / 'tsan.supp'}")
    env |= {scratch_postgres.URL_VARIABLE: database.url, scratch_postgres.POOLED_VARIABLE: database.pooled_url}
    return env


class Running:
    """The tests under way, so that a run that is broken off leaves none behind."""

    def __init__(self):
        self._lock, self._processes, self._stopped = threading.Lock(), set(), False

    def start(self, *arguments, **options):
        with self._lock:
            if self._stopped:
                raise RuntimeError("the run was broken off")
            process = subprocess.Popen(*arguments, **options, start_new_session=True)
            self._processes.add(process)
            return process

    def ended(self, process):
        with self._lock:
            self._processes.discard(process)

    def stop(self):
        with self._lock:
            self._stopped = True
            for process in self._processes:
                with contextlib.suppress(ProcessLookupError):
                    os.killpg(process.pid, signal.SIGKILL)


running = Running()


def is_gtest(program, env):
    try:
        listing = subprocess.run([program, "--gtest_list_tests"], capture_output=True, text=True, timeout=60, env=env)
    except (subprocess.TimeoutExpired, OSError):
        return False
    return listing.returncode == 0 and re.search(r"^\S+\.\s*(#.*)?$", listing.stdout, re.M) is not None


def registered(build):
    """What CMake's add_test knows."""
    shown = subprocess.run(["ctest", "--show-only=json-v1"], cwd=build, capture_output=True, text=True, check=True).stdout
    for entry in json.loads(shown)["tests"]:
        command = entry.get("command")
        if not command or entry["name"].endswith("_NOT_BUILT"):
            continue
        labels = [value for p in entry.get("properties", []) if p["name"] == "LABELS" for value in p["value"]]
        yield entry["name"], command, labels


def collect(build, preset, env):
    tests = [
        Test("layers", ["python3", "tools/layers.py"], "rule", 0),
        Test("limits", ["python3", "tools/limits.py"], "rule", 0),
    ]
    if preset == "release":
        tests.append(Test("headers", ["python3", "tools/headers.py", "--build", str(build)], "rule", 20))
    for name, command, _ in registered(build):
        gtest = len(command) == 1 and os.access(command[0], os.X_OK) and is_gtest(command[0], env)
        if gtest and name in SHARDS:
            tests += [Test(f"{name}.{i + 1}", command, "gtest", 30, (i, SHARDS[name])) for i in range(SHARDS[name])]
        else:
            tests.append(Test(name, command, "gtest" if gtest else "program", 5 if gtest else 50))
    for script in sorted((ROOT / "tests" / "blackbox").glob("*")):
        if script.is_file() and os.access(script, os.X_OK):
            tests.append(Test(script.name, [str(script)], "script", 100))
    return tests


def select(tests, pattern):
    """Tests whose name fits, whole; if none does, the cases of all programs whose name fits."""
    if not pattern:
        return tests, None
    named = [test for test in tests if pattern in test.name]
    if named:
        return named, None
    glob = pattern if "*" in pattern else f"*{pattern}*"
    return [test for test in tests if test.kind == "gtest"], glob


def run(test, cases, env, seconds_max):
    command, env = list(test.command), dict(env)
    if test.kind == "gtest" and cases:
        command.append(f"--gtest_filter={cases}")
    if test.shard:
        env.update(GTEST_SHARD_INDEX=str(test.shard[0]), GTEST_TOTAL_SHARDS=str(test.shard[1]))
    # Hundreds of cases each open a store of their own: in memory that costs seconds, on a disk minutes of syncs. What is about real
    # disks (kill -9, a full disk) is a script and stays on one.
    if test.kind == "gtest" and os.access("/dev/shm", os.W_OK):
        env.setdefault("TMPDIR", "/dev/shm")
    if not os.path.exists(command[0]) and "/" in command[0]:
        return Outcome(test, 0, 1, 0, 0.0, f"{command[0]} was not built\n", [f"{test.name} was not built"])
    begun = time.monotonic()
    with tempfile.TemporaryFile("w+", errors="replace") as sink:
        process = running.start(command, cwd=ROOT, env=env, stdout=sink, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL)
        try:
            # A house rule compiles what no cache knows yet, and is as slow as the compiler.
            code = process.wait(timeout=None if test.kind == "rule" else seconds_max)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            code = process.wait()
            sink.write(f"\nstopped after {seconds_max} s\n")
        running.ended(process)
        sink.seek(0)
        output = sink.read()
    seconds = time.monotonic() - begun
    if test.kind != "gtest":
        passed = code == 0
        return Outcome(test, int(passed), int(not passed), 0, seconds, output, [] if passed else [test.name])
    ok = set(CASE_OK.findall(output))
    failed = sorted(set(CASE_FAILED.findall(output)))
    skipped = set(CASE_SKIPPED.findall(output))
    if code != 0 and not failed:  # it died inside a case, or before the first
        open_cases = [case for case in CASE_STARTED.findall(output) if case not in ok and case not in skipped]
        failed = [f"{open_cases[-1] if open_cases else test.name} (exit code {code})"]
    return Outcome(test, len(ok), len(failed), len(skipped), seconds, output, failed)


class Progress:
    def __init__(self, total):
        self.total, self.done, self.passed, self.failed, self.skipped = total, 0, 0, 0, 0
        self.failures = []

    def take(self, outcome):
        self.done += 1
        self.passed += outcome.passed
        self.failed += outcome.failed
        self.skipped += outcome.skipped
        self.failures += [f"{outcome.test.name}: {failure}" for failure in outcome.failures]
        word = "ok  " if outcome.failed == 0 else "FAIL"
        count = f"{outcome.passed:5} passed" + (f", {outcome.failed} failed" if outcome.failed else "")
        print(f"[{self.done}/{self.total}] {word} {outcome.test.name:<28} {count} {outcome.seconds:7.1f} s", flush=True)
        if outcome.failed:
            print(outcome.output[-20000:], flush=True)


def run_all(tests, cases, env, seconds_max, jobs):
    """Programs side by side, a core each; then whole servers, more of them than cores, since most of their time is waiting; then
    what wants the machine for itself."""
    progress, outcomes = Progress(len(tests)), []
    programs = [test for test in tests if not test.whole_server]
    servers = [test for test in tests if test.whole_server and test.name not in ALONE]
    alone = [test for test in tests if test.name in ALONE]
    try:
        for together, width in ((programs, jobs), (servers, jobs + SERVERS_MORE), (alone, 1)):
            with concurrent.futures.ThreadPoolExecutor(width) as pool:
                try:
                    for future in concurrent.futures.as_completed(
                            [pool.submit(run, test, cases, env, seconds_max) for test in together]):
                        outcomes.append(future.result())
                        progress.take(outcomes[-1])
                except BaseException:
                    running.stop()
                    pool.shutdown(cancel_futures=True)
                    raise
    finally:
        running.stop()
    return progress, outcomes


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", type=pathlib.Path, required=True)
    parser.add_argument("--preset", default="release")
    parser.add_argument("--programs", default="", help="a pattern for the names of test programs")
    parser.add_argument("--cases", default="", help="a pattern for the names of GoogleTest cases")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("filter", nargs="?", default="")
    options = parser.parse_args()
    scratch_postgres.end_on_signals()
    try:
        # Hundreds of cases want a schema of their own: in memory that costs seconds, on a disk minutes. Syncs are on all the same, and
        # scripts about restarts and full disks start their own server on a disk.
        with scratch_postgres.ScratchPostgres(place=scratch_postgres.memory_folder()) as database:
            return report(options, environment(options.build.resolve(), options.preset, database))
    except scratch_postgres.Unavailable as problem:
        print(f"run_tests: {problem}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 128 + signal.SIGINT


def report(options, env):
    build = options.build.resolve()
    tests = collect(build, options.preset, env)
    if options.programs:
        tests = [test for test in tests if fnmatch.fnmatch(test.name, options.programs)]
    tests, cases = select(tests, options.filter)
    cases = (cases or "") + options.cases or None  # both: a case's name comes before the name of its store
    times_file = build / "test-times.json"
    times = json.loads(times_file.read_text()) if times_file.exists() else {}
    # Programs quickest first, so that a mistake shows early; scripts longest first, so that the last one does not run by itself.
    tests.sort(key=lambda test: times.get(test.name, test.cost) * (-1 if test.whole_server else 1))

    progress, outcomes = run_all(tests, cases, env, PROGRAM_PATIENCES * PATIENCE_SECONDS[options.preset], options.jobs)
    if cases is None:
        times.update({outcome.test.name: round(outcome.seconds, 2) for outcome in outcomes})
        times_file.write_text(json.dumps(times, indent=1, sort_keys=True))
    for failure in progress.failures:
        print(f"failed: {failure}")
    if progress.skipped:
        print(f"skipped: {progress.skipped}")
    print(f"{progress.passed} passed, {progress.failed} failed", flush=True)
    return 1 if progress.failed or progress.passed == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
