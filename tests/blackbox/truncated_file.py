#!/usr/bin/env python3
"""Goal: a damaged database file is refused at start with a message that says what to do, exit code 1, and the file is left as it is."""
import os

from harness import Server, claim, finish, folder

first = Server().ready()
batch = {"jobs": [{"type": "t", "payload": {"pad": "x" * 500}}] * 20}
claim(all(first.call("POST", "/api/v1/jobs/bulk", batch)[0] == 201 for _ in range(30)), "600 jobs are taken")
claim(first.stop() == 0, "the server ends in order")
with open(os.path.join(first.data_dir, "muster.db"), "rb") as file:
    sound = file.read()
claim(len(sound) > 100_000, f"the file holds something ({len(sound)} bytes)")


def refused(name, content):
    data_dir = folder()
    path = os.path.join(data_dir, "muster.db")
    with open(path, "wb") as file:
        file.write(content)
    server = Server(data_dir=data_dir)
    code = server.wait()
    text = server.stderr()
    claim(code == 1, f"{name}: exit code 1 ({code})")
    claim(server.ready_line is None, f"{name}: no ready line")
    claim("muster.db" in text and "damaged" in text and "backup" in text, f"{name}: the message names the file, the damage and the remedy: {text.strip()[-300:]}")
    with open(path, "rb") as file:
        claim(file.read() == content, f"{name}: the file is left as it was")


refused("cut in half", sound[: len(sound) // 2 // 4096 * 4096])
refused("cut within a page", sound[: len(sound) // 2 + 1000])
refused("garbage", os.urandom(50_000))
refused("garbage behind a sound header", sound[:100] + os.urandom(len(sound) - 100))
refused("a text file", b"this is not a database, it is a letter to a friend\n" * 200)

whole = folder()
with open(os.path.join(whole, "muster.db"), "wb") as file:
    file.write(sound)
server = Server(data_dir=whole).ready()
claim(len(server.call("GET", "/api/v1/jobs?limit=1000")[1]["jobs"]) == 600, "the undamaged copy opens with all 600 jobs")
claim(server.stop() == 0, "it ends with code 0")
finish()
