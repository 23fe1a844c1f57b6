#!/usr/bin/env python3
"""Puts the seeds of one fuzzer where it keeps what it finds, so that a run starts from well-formed input.

tests/fuzz/seeds/NAME.json has them by name; a character of a text is a byte.
"""
import json
import pathlib
import sys

SEEDS = pathlib.Path(__file__).resolve().parent.parent / "tests" / "fuzz" / "seeds"


def main():
    name, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    folder.mkdir(parents=True, exist_ok=True)
    for seed, text in json.loads((SEEDS / f"{name}.json").read_text()).items():
        (folder / seed).write_bytes(text.encode("latin-1"))


if __name__ == "__main__":
    main()
