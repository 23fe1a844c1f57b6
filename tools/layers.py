#!/usr/bin/env python3
"""Compares every #include with the picture of ARCHITECTURE.md and prints the lines that point the wrong way.

A folder may include what its row reaches, and its own files. Test sources may besides include what TEST_EXTRA says.
Third-party headers are private to the folders that wrap them.
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent

# Folder → folders it may include, beside itself. The most specific folder that matches a path is its folder.
REACH = {
    "src/base": [],
    "src/model": ["src/base"],
    "src/store": ["src/model", "src/base"],
    "src/store/contract": ["src/store", "src/model", "src/base"],
    "src/store/codec": ["src/store", "src/model", "src/base"],
    "src/store/transfer": ["src/store/codec", "src/store", "src/model", "src/base"],
    "src/store/keyspace": ["src/store", "src/model", "src/base"],
    "src/store/runs": ["src/store", "src/model", "src/base"],
    "src/store/jobs": ["src/store", "src/model", "src/base"],
    "src/store/sqlite": ["src/store/keyspace", "src/store/runs", "src/store/jobs", "src/store/transfer", "src/store/codec", "src/store", "src/model", "src/base"],
    "src/store/postgres": ["src/store/keyspace", "src/store/runs", "src/store/jobs", "src/store/transfer", "src/store/codec", "src/store", "src/model", "src/base"],
    "src/engine": ["src/cron", "src/store", "src/model", "src/base"],
    "src/cron": ["src/model", "src/base"],
    "src/plan": ["src/model", "src/base"],
    "src/command": ["src/plan", "src/engine", "src/store", "src/model", "src/base"],
    "src/net": ["src/base"],
    "src/schema": ["src/base"],
    "src/websocket": ["src/base"],
    "src/session": ["src/base"],
    "src/fronts/resp": ["src/fronts/auth", "src/command", "src/plan", "src/model", "src/base", "src/net"],
    "src/fronts/http2": ["src/base", "src/net"],
    "src/fronts/auth": ["src/command", "src/model", "src/base"],
    "src/fronts/http": ["src/fronts/auth", "src/fronts/http2", "src/command", "src/plan", "src/model", "src/base", "src/net"],
    "src/fronts/ws": ["src/fronts/auth", "src/command", "src/session", "src/websocket", "src/schema", "src/model", "src/base", "src/net"],
    "src/fronts/grpc": ["src/fronts/auth", "src/fronts/http2", "src/command", "src/plan", "src/model", "src/base", "src/net"],
    "agents/claude": ["src/model", "src/base"],
    "agents": ["agents/claude", "src/command", "src/schema", "src/store", "src/model", "src/base"],
    "src/server": [
        "agents", "agents/claude",
        "src/fronts/http", "src/fronts/resp", "src/fronts/ws", "src/fronts/grpc", "src/fronts/http2", "src/fronts/auth", "src/command", "src/engine", "src/store", "src/store/transfer",
        "src/store/sqlite", "src/store/postgres",
        "src/model", "src/base", "src/net",
    ],
    "sdk/cpp": [],
    "sdk/cpp/ws": ["sdk/cpp", "src/session", "src/websocket", "src/base"],
    "sdk/cpp/testkit": ["sdk/cpp", "src/*"],
    "cli": ["sdk/cpp"],
    "worker": ["sdk/cpp", "sdk/cpp/ws", "src/plan", "src/model", "src/base"],
    "src/main": ["src/server", "src/base", "cli", "worker", "sdk/cpp", "agents/claude"],
    "examples": ["sdk/cpp", "sdk/cpp/ws"],
    "tests": ["src/*", "agents", "agents/claude", "sdk/cpp", "sdk/cpp/ws", "cli"],
    "bench": ["src/*", "agents", "agents/claude", "sdk/cpp"],
}

# What tests of a folder may reach besides: the engine is proved against the real store, the contract suite runs in it.
TEST_EXTRA = {
    "src/store/contract": ["src/store/keyspace", "src/store/sqlite", "src/store/postgres"],
    "src/store/transfer": ["src/store/sqlite"],
    "src/store/sqlite": ["src/store/contract"],
    "src/store/postgres": ["src/store/contract"],
    "src/engine": ["src/store/sqlite", "src/store/contract"],
    "src/command": ["src/store/sqlite"],
    "src/fronts/http": ["src/engine", "src/store", "src/store/sqlite"],
    "src/fronts/resp": ["src/engine", "src/store", "src/store/sqlite"],
    "src/fronts/ws": ["src/engine", "src/store", "src/store/sqlite"],
    "src/fronts/grpc": ["src/engine", "src/store", "src/store/sqlite"],
    "agents": ["src/engine", "src/store/sqlite"],
    "worker": ["src/*"],
    "cli": ["src/*"],
    "sdk/cpp": ["src/*"],
    "sdk/cpp/ws": ["src/*"],
}

# Start of an include → the folders that may say it. Test sources and the folders above stay free.
THIRD_PARTY = {
    "sqlite3.h": ["src/store/sqlite", "tests", "bench"],
    "libpq": ["src/store/postgres", "tests", "bench"],
    "boost/": ["src/net", "src/fronts/http", "src/server", "tests", "bench"],
    "openssl/": ["src/base", "src/net", "src/session", "src/websocket", "sdk/cpp", "sdk/cpp/ws", "src/fronts/auth", "src/fronts/http", "src/fronts/resp", "src/fronts/grpc", "src/server", "tests"],
    "nlohmann/": [
        "src/base", "src/session", "src/store/codec", "src/store/sqlite", "src/store/postgres", "src/plan", "src/schema", "src/command", "src/fronts/http", "src/fronts/resp", "src/fronts/grpc",
        "src/server", "sdk/cpp", "sdk/cpp/ws", "cli", "worker", "agents", "agents/claude", "tests", "bench", "examples",
    ],
    "toml++/": ["src/server"],
    "CLI/": ["src/server", "cli", "worker", "src/main", "bench", "tests"],
    "curl/": ["agents/claude", "sdk/cpp", "bench", "tests"],
    "date/": ["src/cron"],
    "re2/": ["src/schema"],
    "nghttp2/": ["src/fronts/http2"],
    "grpc/": ["sdk/cpp", "tests", "bench"],
    "grpcpp/": ["sdk/cpp", "tests", "bench"],
    "google/protobuf/": ["src/fronts/grpc", "sdk/cpp", "tests", "bench"],
    "kagzi_k0.": ["src/fronts/grpc", "sdk/cpp", "tests", "bench"],
    "kagzi_v1.": ["src/fronts/grpc", "sdk/cpp", "tests", "bench"],
    "muster_v1.": ["src/fronts/grpc", "sdk/cpp", "tests", "bench"],
    "health_v1.": ["src/fronts/grpc", "sdk/cpp", "tests", "bench"],
    "reflection_v1": ["src/fronts/grpc", "sdk/cpp", "tests", "bench"],
    "zlib.h": ["src/websocket", "src/fronts/grpc", "src/fronts/http", "sdk/cpp", "tests"],
}

INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')


def folder_of(path):
    """The most specific folder of REACH that holds the path, or None."""
    best = None
    for folder in REACH:
        if path.startswith(folder + "/") and (best is None or len(folder) > len(best)):
            best = folder
    return best


def resolve(include, source):
    """The repository path an include in quotes means, or None when it is generated or foreign."""
    for base in ("src/", "", str(pathlib.PurePosixPath(source).parent) + "/"):
        if (ROOT / (base + include)).is_file():
            return base + include
    return None


def allowed(target, reach):
    return any(target == entry or (entry.endswith("/*") and target.startswith(entry[:-1])) for entry in reach)


def check(source):
    folder = folder_of(source)
    if folder is None:
        return [f"{source}: in no folder of the picture"]
    is_test = source.endswith(("_test.cc", "_testing.cc", "_testing.h"))
    reach = [folder] + REACH[folder] + (TEST_EXTRA.get(folder, []) if is_test else [])
    wrong = []
    for number, line in enumerate((ROOT / source).read_text(encoding="utf-8").splitlines(), 1):
        match = INCLUDE.match(line)
        if not match:
            continue
        name = match.group(2)
        for start, owners in THIRD_PARTY.items():
            if name.startswith(start) and folder not in owners and not is_test:
                wrong.append(f"{source}:{number}: {folder} does not wrap <{name}>; it is private to {', '.join(owners)}")
        if match.group(1) != '"':
            continue
        target = resolve(name, source)
        if target is None:
            continue
        target_folder = folder_of(target)
        if target_folder is not None and not allowed(target_folder, reach):
            wrong.append(f"{source}:{number}: {folder} may not include {target_folder} ({name})")
    return wrong


def main():
    sources = sorted(
        str(path.relative_to(ROOT))
        for top in ("src", "sdk", "cli", "worker", "agents", "examples", "tests", "bench")
        for path in (ROOT / top).rglob("*")
        if path.suffix in (".h", ".cc", ".cpp") and path.is_file()
    )
    wrong = [line for source in sources for line in check(source)]
    for line in wrong:
        print(line)
    print(f"layers: {len(sources)} files, {len(wrong)} wrong includes", file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
