#!/usr/bin/env python3
"""Compiles every header of ours alone, so that none relies on what its includer included before.

A header that compiled once is remembered by the hash of everything of ours that it reaches, in a folder that outlives a
clone; only what changed is compiled again.
"""
import argparse
import concurrent.futures
import hashlib
import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
FLAGS = ["-std=c++20", "-fsyntax-only", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-Wshadow", "-Wnon-virtual-dtor",
         "-Wno-missing-field-initializers", "-DBOOST_ASIO_NO_DEPRECATED", "-DBOOST_ASIO_DISABLE_BOOST_COROUTINE", "-DFMT_SHARED"]
INCLUDE = re.compile(r'^\s*#\s*include\s*"([^"]+)"', re.M)


def cache_folder():
    base = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    return pathlib.Path(base) / "muster" / "headers"


class Headers:
    def __init__(self, build):
        self.roots = [ROOT / "src", ROOT, build / "generated", build / "generated" / "proto"]
        self.texts = {}
        self.compiler = subprocess.run(["g++", "--version"], capture_output=True, text=True, check=True).stdout.splitlines()[0]

    def find(self, include, beside):
        for base in [beside, *self.roots]:
            path = base / include
            if path.is_file():
                return path.resolve()
        return None

    def reached(self, header):
        """The header and every file of ours that it includes, directly or not."""
        seen, todo = {}, [header.resolve()]
        while todo:
            path = todo.pop()
            if path in seen:
                continue
            if path not in self.texts:
                self.texts[path] = path.read_text(encoding="utf-8")
            seen[path] = self.texts[path]
            for include in INCLUDE.findall(seen[path]):
                found = self.find(include, path.parent)
                if found is not None:
                    todo.append(found)
        return seen

    def key(self, header):
        digest = hashlib.sha256(("\n".join([self.compiler, *FLAGS])).encode())
        for path, text in sorted(self.reached(header).items()):
            digest.update(text.encode())
            digest.update(b"\0")
        digest.update(header.name.encode())
        return digest.hexdigest()

    def compile(self, header):
        command = ["g++", *FLAGS, *[f"-I{root}" for root in self.roots], "-x", "c++", "-"]
        # Included from a source of its own: a header compiled as a main file warns about its #pragma once.
        return subprocess.run(command, input=f'#include "{header}"\n', capture_output=True, text=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build")
    parser.add_argument("filter", nargs="?", default="")
    options = parser.parse_args()
    headers = Headers(options.build.resolve())
    cache = cache_folder()
    cache.mkdir(parents=True, exist_ok=True)
    all_headers = sorted(path for top in ("src", "sdk", "cli", "worker", "agents", "tests", "bench") for path in (ROOT / top).rglob("*.h")
                         if options.filter in str(path))
    todo = [(header, cache / headers.key(header)) for header in all_headers]
    todo = [(header, mark) for header, mark in todo if not mark.exists()]
    wrong = 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for (header, mark), result in zip(todo, pool.map(lambda item: headers.compile(item[0]), todo)):
            if result.returncode == 0:
                mark.touch()
            else:
                wrong += 1
                print(f"{header.relative_to(ROOT)} does not compile alone:\n{result.stderr.rstrip()}")
    print(f"headers: {len(all_headers)} headers, {len(todo)} compiled, {wrong} wrong", file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
