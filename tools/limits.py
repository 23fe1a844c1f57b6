#!/usr/bin/env python3
"""Keeps docs/limits.md and the constants in step: every bound has a row with its value, every row names a bound that exists.

A row starts with the name in backquotes, then its value as the source writes it (spaces do not count).
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
ROW = re.compile(r"^\| `([A-Za-z0-9_.]+)` \| `?([^`|]+?)`? \|", re.M)
NUMBER = r"inline constexpr (?:std::size_t|std::u?int\d+_t|Duration|JobKey) "
CONSTANT = re.compile(NUMBER + r"(k\w+) = ([^;]+);")
BRACED = re.compile(NUMBER + r"(k\w+)\{([^}]+)\};")
FIELD = re.compile(r"^\s+(?:std::size_t|Duration|std::uint32_t) (\w+)(?: = |\{)([^;}]+)\}?;", re.M)

FRONTS = {"http": "options.h", "http2": "limits.h", "resp": "options.h", "ws": "options.h"}  # where their Limits are


def squeeze(text):
    return text.replace(" ", "").replace("'", "").replace("`", "")


def source_bounds():
    """All of the limits.h, the fronts' Limits, and what other headers call a maximum, minimum or default."""
    bounds = {}
    for path in sorted([*(ROOT / "src").rglob("*.h"), *(ROOT / "agents").rglob("*.h")]):
        if "testing" in path.name or "contract" in path.parts:
            continue
        text = path.read_text(encoding="utf-8")
        for pattern in (CONSTANT, BRACED):
            for name, value in pattern.findall(text):
                if path.name == "limits.h" or name.endswith(("Max", "Min", "Default")):
                    bounds[name] = value
    for front, header in FRONTS.items():
        options = (ROOT / f"src/fronts/{front}/{header}").read_text(encoding="utf-8")
        body = re.search(r"struct Limits \{(.*?)^\};", options, re.S | re.M).group(1)
        bounds.update({f"{front}.{name}": value for name, value in FIELD.findall(body)})
    return {name: squeeze(value) for name, value in bounds.items()}


def main():
    documented = {name: squeeze(value) for name, value in ROW.findall((ROOT / "docs/limits.md").read_text(encoding="utf-8"))}
    bounds = source_bounds()
    wrong = []
    for name, value in sorted(bounds.items()):
        if name not in documented:
            wrong.append(f"docs/limits.md has no row for `{name}` = {value}")
        elif documented[name] != value:
            wrong.append(f"docs/limits.md says `{name}` = {documented[name]}, the source says {value}")
    for name in sorted(documented):
        if name.startswith(("k", *(f"{front}." for front in FRONTS))) and name not in bounds:
            wrong.append(f"docs/limits.md has a row for `{name}`, which the source does not know")
    for line in wrong:
        print(line)
    print(f"limits: {len(bounds)} bounds, {len(wrong)} out of step", file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
