#!/usr/bin/env python3
"""Goal: a full disk refuses with a reason, reads go on, nothing acknowledged is lost, and the server recovers by itself.

Method: the data folder is a small file system of its own (tmpfs, or ext4 on a loop device). It is filled by jobs with payloads until the server refuses,
and freed by removing a ballast file. Then it is filled by somebody else: what the redo files still take is acknowledged, though its rows cannot be committed,
and must not be said not to exist.
"""
import errno
import os

from harness import Server, claim, finish, small_file_system, until

SIZE_MB, BALLAST_MB = 24, 8
LEFT_BYTES = 200_000


def fill_to_the_last_byte(path):
    with open(path, "wb", buffering=0) as file:
        for size in (64 * 1024, 512, 1):
            try:
                while True:
                    file.write(b"x" * size)
            except OSError as error:
                if error.errno != errno.ENOSPC:
                    raise


found = small_file_system(SIZE_MB)
if found is None:
    print("skipped: this user cannot mount a small file system (neither tmpfs nor a loop device); run as root to see it")
    finish()
place, kind = found
print(f"the data folder is {SIZE_MB} MB of {kind}")
ballast = os.path.join(place, "ballast")
with open(ballast, "wb") as file:
    file.write(b"x" * BALLAST_MB * 1024 * 1024)

KEY = {"ANTHROPIC_API_KEY": "none"}  # without one there are no agents
server = Server(data_dir=os.path.join(place, "data"), env=KEY).ready()
acknowledged, refused = [], None
payload = "x" * 60_000
for number in range(2000):
    status, body = server.call("POST", "/api/v1/jobs", {"type": "fill", "payload": {"pad": payload}, "idempotency_key": f"fill-{number}"})
    if status != 201:
        refused = number, status, body
        break
    acknowledged.append(body["id"])
claim(refused is not None, "the disk fills up and the server refuses")
number, status, body = refused
claim(status == 503 and body["code"] == "unavailable", f"the answer is 503 unavailable ({status} {body.get('code')})")
claim("full" in body["detail"], f"it says why: {body['detail']}")
status, reason = server.readiness()
claim(status == 503 and "full" in str(reason), f"/readyz says why: {status} {reason}")
claim(server.call("GET", "/healthz")[0] == 200, "/healthz: the process itself is well")
claim(all(server.call("GET", f"/api/v1/jobs/{job}")[0] == 200 for job in acknowledged[:: max(1, len(acknowledged) // 20)]), "reads go on")
again = server.call("POST", "/api/v1/jobs", {"type": "fill", "payload": {"pad": payload}, "idempotency_key": f"fill-{number}"})
claim(again[0] == 503, f"still refused while it is full ({again[0]})")

os.remove(ballast)
accepted = until(lambda: (lambda reply: reply if reply[0] in (200, 201) else None)(
    server.call("POST", "/api/v1/jobs", {"type": "fill", "payload": {"pad": payload}, "idempotency_key": f"fill-{number}"})), "writes are accepted again")
claim(accepted[0] == 201, "the refused job had not been written: the repeat makes it")
acknowledged.append(accepted[1]["id"])
claim(until(lambda: server.call("GET", "/readyz")[0] == 200, "/readyz is well again"), "the server recovered by itself")
claim(all(server.call("GET", f"/api/v1/jobs/{job}")[1].get("state") == "ready" for job in acknowledged), f"all {len(acknowledged)} acknowledged jobs are there")

fill_to_the_last_byte(ballast)
os.truncate(ballast, os.path.getsize(ballast) - LEFT_BYTES)
agents, read, refused = [], [], None
for number in range(5_000):
    status, body = server.call("POST", "/api/v1/agents", {"name": f"clerk-{number}", "model": "demo", "description": "x" * 4_000})
    if status != 201:
        refused = status
        break
    agents.append(body["id"])
    read.append(server.call("GET", f"/api/v1/agents/{agents[-1]}")[0])
claim(agents and refused == 503, f"{len(agents)} agents are acknowledged, the next is refused with 503 ({refused})")
read += [server.call("GET", f"/api/v1/agents/{agent}")[0] for agent in agents]
claim(set(read) <= {200, 503}, f"nothing that was acknowledged is said not to exist ({sorted(set(read))})")
os.remove(ballast)
until(lambda: server.call("GET", "/readyz")[0] == 200, "/readyz is well again")
claim(all(server.call("GET", f"/api/v1/agents/{agent}")[0] == 200 for agent in agents), "with room again all of them are there")
server.kill()
server = Server(data_dir=server.data_dir, env=KEY).ready()
claim(all(server.call("GET", f"/api/v1/agents/{agent}")[0] == 200 for agent in agents), "the agents are there after kill -9 and a restart")
claim(all(server.call("GET", f"/api/v1/jobs/{job}")[1].get("state") == "ready" for job in acknowledged), "also after kill -9 and a restart")
claim(server.stop() == 0, "it ends with code 0")
finish()
