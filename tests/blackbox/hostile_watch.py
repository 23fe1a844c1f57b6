"""Watches a server from outside: `hostile_watch.py ADDRESS PID SECONDS` asks /healthz on a new connection again and again, looks at the process's memory,
and prints the slowest answer, the highest memory and how often it asked, as JSON. A process of its own, so that a busy test does not look like a busy server."""
import http.client
import json
import re
import sys
import time

ASK_EVERY_SECONDS = 0.1
GIVE_UP_SECONDS = 30


def ask(address):
    """Seconds until the answer, or None when there was none."""
    begun = time.monotonic()
    connection = http.client.HTTPConnection(address, timeout=GIVE_UP_SECONDS)
    try:
        connection.request("GET", "/healthz")
        answer = connection.getresponse()
        answer.read()
        return time.monotonic() - begun if answer.status == 200 else None
    except (OSError, http.client.HTTPException):
        return None
    finally:
        connection.close()


def memory_bytes(pid):
    try:
        with open(f"/proc/{pid}/status") as file:
            return int(re.search(r"VmRSS:\s+(\d+) kB", file.read()).group(1)) * 1024
    except (OSError, AttributeError):
        return 0  # the process has ended; the test notices by itself


def main():
    address, pid, seconds = sys.argv[1], int(sys.argv[2]), float(sys.argv[3])
    end = time.monotonic() + seconds
    slowest, asked, unanswered, most = 0.0, 0, 0, 0
    while time.monotonic() < end:
        took = ask(address)
        asked += 1
        unanswered += took is None
        slowest = max(slowest, took or 0.0)
        most = max(most, memory_bytes(pid))
        time.sleep(ASK_EVERY_SECONDS)
    print(json.dumps({"asked": asked, "unanswered": unanswered, "slowest_seconds": round(slowest, 3), "memory_bytes": most}))


if __name__ == "__main__":
    main()
