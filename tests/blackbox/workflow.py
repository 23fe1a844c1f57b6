"""What the tests of the C++ SDK share: where its programs are, and a server whose gRPC port stays the same over restarts."""
import os
import pathlib
import re
import subprocess

from harness import DEADLINE_SECONDS, MUSTER, READY, Server, clean_environment, claim

BUILD = pathlib.Path(MUSTER).resolve().parent


def serve(grpc="127.0.0.1:0", **options):
    """A server with a gRPC listener; `.grpc` is its address."""
    server = Server("--grpc", grpc, **options).ready()
    server.grpc = READY.match(server.ready_line).group(2)
    claim(re.fullmatch(r"127\.0\.0\.1:\d+", server.grpc) is not None, f"gRPC listens on {server.grpc}")
    return server


def program(path):
    """A program of the build, or a claim that fails."""
    found = BUILD / path
    claim(found.exists(), f"{path} is built")
    return str(found)


def run(command, address=None, http=None, seconds=2 * DEADLINE_SECONDS, **options):
    """Exit code, stdout and stderr of a program that ends by itself."""
    env = clean_environment()
    if address:
        env["MUSTER_ADDRESS"] = address
    if http:
        env["MUSTER_HTTP"] = http
    done = subprocess.run(command, capture_output=True, text=True, timeout=seconds, env=env, stdin=subprocess.DEVNULL, **options)
    return done.returncode, done.stdout, done.stderr


def environment():
    return {**clean_environment(), "PATH": os.environ["PATH"]}
