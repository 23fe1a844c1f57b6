#!/usr/bin/env python3
"""Makes the dashboard and writes its files as a C++ source. Called by the build (cmake/pages.cmake).

`npm ci` and `npm run build` run in web/ only when something there has changed since web/dist was made, so that a second preset or a
clean build folder costs nothing; builds side by side take turns. Where npm is missing or fails, the source says so instead and the
build goes on: the server then tells at `/` what is missing, and the next build tries again.
"""
import argparse
import contextlib
import fcntl
import gzip
import hashlib
import os
import shutil
import subprocess
import sys
import tempfile

MADE_BY_NPM = {"node_modules", "dist"}
STAMP = ".made-from"
LEFT_OUT = (".map", STAMP)
PIECE = 4000  # bytes of a literal; compilers bound one to 64 KiB
NPM_SECONDS = 900
LONG_AGO_SECONDS = 1_000_000  # after 1970: what is dated before that is to be made again
SHOWN = (os.path.join(os.pardir, "docs", "limits.md"),)  # documents that pages show, as seen from web/
# Node has brotli; Python's is a package of its own.
BROTLI = ("const z=require('zlib');process.stdout.write(z.brotliCompressSync(require('fs').readFileSync(0),"
          "{params:{[z.constants.BROTLI_PARAM_QUALITY]:11}}))")


class Missing(Exception):
    """Why there are no pages, as people read it."""


def files_below(folder):
    for at, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if name not in MADE_BY_NPM and not name.startswith("."))
        for name in sorted(names):
            yield os.path.relpath(os.path.join(at, name), folder)


def digest_of(folder, names):
    out = hashlib.sha256()
    for name in names:
        with open(os.path.join(folder, name), "rb") as file:
            content = file.read()
        out.update(f"{name}\0{len(content)}\0".encode())
        out.update(content)
    return out.hexdigest()


def npm(web, *arguments):
    run = subprocess.run(["npm", *arguments], cwd=web, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                         stderr=subprocess.STDOUT, text=True, errors="replace", timeout=NPM_SECONDS, check=False)
    if run.returncode != 0:
        sys.stderr.write(run.stdout)
        raise Missing(f"`npm {' '.join(arguments)}` failed when it was built")


def read_stamp(path):
    try:
        with open(path, encoding="utf-8") as file:
            return file.read()
    except OSError:
        return ""


def write_stamp(path, text):
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def make(web):
    """Brings web/dist up to date and returns it."""
    if not os.path.exists(os.path.join(web, "package.json")):
        raise Missing("its sources, web/, were not there when it was built")
    dist = os.path.join(web, "dist")
    stamp = os.path.join(dist, STAMP)
    wanted = digest_of(web, [*files_below(web), *SHOWN])
    if read_stamp(stamp) == wanted:
        return dist
    if shutil.which("npm") is None:
        raise Missing("npm was not there when it was built")
    modules = os.path.join(web, "node_modules")
    modules_stamp = os.path.join(modules, STAMP)
    wanted_modules = digest_of(web, [name for name in ("package.json", "package-lock.json")
                                     if os.path.exists(os.path.join(web, name))])
    if read_stamp(modules_stamp) != wanted_modules:
        npm(web, "ci", "--no-audit", "--no-fund")
        os.makedirs(modules, exist_ok=True)
        write_stamp(modules_stamp, wanted_modules)
    npm(web, "run", "build")
    if not os.path.exists(os.path.join(dist, "index.html")):
        raise Missing("`npm run build` made no dist/index.html")
    write_stamp(stamp, wanted)
    return dist


def compressed(content):
    """The forms of a file that are smaller than itself, by what their names end with."""
    forms = {".gz": gzip.compress(content, 9, mtime=0)}
    if shutil.which("node") is not None:
        run = subprocess.run(["node", "-e", BROTLI], input=content, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                             timeout=60, check=False)
        if run.returncode == 0:
            forms[".br"] = run.stdout
    return {suffix: form for suffix, form in forms.items() if len(form) < len(content)}


def pages_of(dist):
    pages = {}
    for at, _, names in os.walk(dist):
        for name in names:
            if name.endswith(LEFT_OUT):
                continue
            path = os.path.join(at, name)
            with open(path, "rb") as file:
                content = file.read()
            short = os.path.relpath(path, dist).replace(os.sep, "/")
            pages[short] = content
            for suffix, form in compressed(content).items():
                pages[short + suffix] = form
    return pages


def literal(content):
    """Adjacent literals of octal escapes: any bytes, and no escape can swallow the digit after it."""
    if not content:
        return '""'
    table = [chr(c) if 32 <= c < 127 and c not in b'"\\?' else f"\\{c:03o}" for c in range(256)]
    lines = []
    for at in range(0, len(content), PIECE):
        lines.append('"' + "".join(table[c] for c in content[at:at + PIECE]) + '"')
    return "\n     ".join(lines)


def source_of(pages, missing):
    entries = "".join(f'    {{"{name}",\n     std::string_view({literal(content)}, {len(content)})}},\n'
                      for name, content in sorted(pages.items()))
    body = f"  static constexpr File kFiles[] = {{\n{entries}  }};\n  return kFiles;\n" if entries else "  return {};\n"
    return ('// Generated.\n#include "pages/pages.h"\nnamespace muster::embedded {\nstd::span<const File> pages() {\n' + body +
            '}\nstd::string_view pages_missing() { return ' + literal(missing.encode()) + "; }\n}\n")


HEADER = """// Generated: the dashboard's files, each also compressed (`.gz`, `.br`) where that is smaller, sorted by name; and why there are none.
#pragma once
#include <span>
#include <string_view>
#include "base/embedded.h"
namespace muster::embedded {
std::span<const File> pages();
std::string_view pages_missing();
}
"""


@contextlib.contextmanager
def alone_in(web):
    """No other build makes or reads web/dist meanwhile."""
    if not os.path.isdir(web):
        yield
        return
    folder = os.open(web, os.O_RDONLY | os.O_DIRECTORY)
    try:
        fcntl.flock(folder, fcntl.LOCK_EX)
        yield
    finally:
        os.close(folder)


def make_due(path, last):
    """Older than all it is made from, so that the next build makes it again; and not as old as before, or ninja would think that nothing was made."""
    seconds = last % LONG_AGO_SECONDS + 1 if last < LONG_AGO_SECONDS else 1
    os.utime(path, (seconds, seconds))


def why_missing(why):
    if isinstance(why, subprocess.TimeoutExpired):
        return "npm took too long when it was built"
    if isinstance(why, OSError):
        return f"its files could not be used when it was built ({why.strerror})"
    return str(why)


def modified(path):
    try:
        return int(os.stat(path).st_mtime)
    except OSError:
        return LONG_AGO_SECONDS


def write(path, text):
    folder = os.path.dirname(path)
    os.makedirs(folder, exist_ok=True)
    with tempfile.NamedTemporaryFile("w", dir=folder, delete=False, encoding="utf-8") as file:
        file.write(text)
    os.replace(file.name, path)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--web", required=True)
    parser.add_argument("--output", required=True, help="without .h and .cc")
    arguments = parser.parse_args()
    outputs = {arguments.output + ".h": HEADER}
    last = max(modified(arguments.output + suffix) for suffix in (".h", ".cc"))
    pages, missing = {}, ""
    try:
        with alone_in(arguments.web):
            pages = pages_of(make(arguments.web))
    except (Missing, OSError, subprocess.TimeoutExpired) as why:
        missing = why_missing(why)
        if os.path.exists(arguments.web):
            print(f"\n*** THE DASHBOARD IS LEFT OUT: {missing}. The server works without it and says so at `/`. ***\n",
                  file=sys.stderr)
    outputs[arguments.output + ".cc"] = source_of(pages, missing)
    for path, text in outputs.items():
        write(path, text)
        if missing:
            make_due(path, last)


if __name__ == "__main__":
    main()
