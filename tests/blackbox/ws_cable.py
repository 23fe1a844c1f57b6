"""A cable between the test and a worker that can be pulled: a veth pair into a network namespace, or, where this user may make none, a proxy that stops forwarding.

Import it first: with namespaces the whole test moves into one of its own, so that nothing is left behind on the machine.
"""
import os
import selectors
import socket
import subprocess
import sys
import threading

from harness import at_end, until

INSIDE = "MUSTER_BLACKBOX_NAMESPACE"
UNSHARE = ["unshare", "--net"] if os.geteuid() == 0 else ["unshare", "--user", "--map-current-user", "--keep-caps", "--net"]
NET = "10.91.3"


def ip(*arguments, inside=()):
    return subprocess.run([*inside, "ip", *arguments], capture_output=True, text=True).returncode == 0


def moved_in():
    """Whether this process is in a namespace of its own; does not return when it had to move."""
    if INSIDE in os.environ:
        return True
    try:
        tried = subprocess.run([*UNSHARE, "ip", "link", "add", "try0", "type", "veth", "peer", "name", "try1"], capture_output=True)
    except FileNotFoundError:
        return False
    if tried.returncode != 0:
        return False
    os.environ[INSIDE] = "1"
    os.execvp(UNSHARE[0], [*UNSHARE, sys.executable, "-B", *sys.argv])


class Veth:
    made_of = "a veth pair into a network namespace"
    server_host = f"{NET}.1"

    def __init__(self):
        ip("link", "set", "lo", "up")
        holder = subprocess.Popen(["unshare", "--net", "sleep", "600"])
        at_end(lambda: (holder.kill(), holder.wait()))
        own = os.readlink("/proc/self/ns/net")
        until(lambda: os.readlink(f"/proc/{holder.pid}/ns/net") != own, "there is a second network namespace")
        self.inside = ("nsenter", "--net", "--target", str(holder.pid), "--")
        ip("link", "add", "cable0", "type", "veth", "peer", "name", "cable1", "netns", str(holder.pid))
        ip("addr", "add", f"{NET}.1/24", "dev", "cable0")
        ip("addr", "add", f"{NET}.2/24", "dev", "cable1", inside=self.inside)
        self.plug_in()
        ip("link", "set", "cable1", "up", inside=self.inside)

    def address_of(self, server):
        return server.address

    def pull(self):
        """Only this end: the server's address stays, so it can be started meanwhile."""
        ip("link", "set", "cable1", "down", inside=self.inside)

    def plug_in(self):
        ip("link", "set", "cable0", "up")
        ip("link", "set", "cable1", "up", inside=self.inside)


class Proxy:
    made_of = "a proxy: this user may not make network namespaces"
    server_host = "127.0.0.1"
    inside = ()

    def __init__(self):
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.server, self.pulled = None, False
        self.pairs = {}

    def address_of(self, server):
        self.server = server.address
        threading.Thread(target=self.forward, daemon=True).start()
        return f"127.0.0.1:{self.listener.getsockname()[1]}"

    def forward(self):
        poll = selectors.DefaultSelector()
        poll.register(self.listener, selectors.EVENT_READ)
        while True:
            for key, _ in poll.select(0.05):
                if self.pulled:
                    continue
                self.accept(poll) if key.fileobj is self.listener else self.carry(poll, key.fileobj)

    def accept(self, poll):
        client, _ = self.listener.accept()
        host, port = self.server.rsplit(":", 1)
        try:
            server = socket.create_connection((host, int(port)), 1)
        except OSError:
            return client.close()
        self.pairs |= {client: server, server: client}
        for end in (client, server):
            poll.register(end, selectors.EVENT_READ)

    def carry(self, poll, end):
        other = self.pairs.get(end)
        try:
            data = end.recv(1 << 16)
            if data:
                return other.sendall(data)
        except OSError:
            pass
        for side in (end, other):
            if self.pairs.pop(side, None) is not None:
                poll.unregister(side)
                side.close()

    def pull(self):
        self.pulled = True

    def plug_in(self):
        self.pulled = False


Cable = Veth if moved_in() else Proxy
