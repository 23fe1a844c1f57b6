"""Node.js programs of tests/node with their packages, installed once beside the build."""
import fcntl
import os
import pathlib
import shutil
import subprocess

import harness

SOURCES = harness.ROOT / "tests" / "node"
INSTALL_SECONDS = 300  # a slow network is not a slow machine


def installed():
    """The folder that holds the sources and node_modules. Tests that run at the same time install once."""
    place = pathlib.Path(harness.MUSTER).resolve().parent / "node"
    place.mkdir(exist_ok=True)
    with open(place / "lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        wanted = (SOURCES / "package.json").read_text()
        stamp = place / "installed.json"
        if not stamp.exists() or stamp.read_text() != wanted:
            shutil.copy(SOURCES / "package.json", place)
            done = subprocess.run(["npm", "install", "--no-audit", "--no-fund", "--no-package-lock", "--silent"], cwd=place,
                                  capture_output=True, text=True, timeout=INSTALL_SECONDS)
            harness.claim(done.returncode == 0, f"npm installs the clients {done.stderr[-400:]}")
            stamp.write_text(wanted)
    return place


def run(script, *arguments, seconds=harness.DEADLINE_SECONDS):
    """Exit code, stdout, stderr of one of the programs."""
    place = installed()
    done = subprocess.run(["node", str(SOURCES / script), *arguments], capture_output=True, text=True, timeout=seconds,
                          env={**os.environ, "NODE_PATH": str(place / "node_modules")})
    return done.returncode, done.stdout, done.stderr
