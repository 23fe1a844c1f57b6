"""What the cluster tests share: a PostgreSQL of their own and `muster serve` nodes on it.

Times are short, so that a test sees a takeover in seconds: a leader is missed after LEADER_TTL_SECONDS, a node beats twice a second.
"""
import sys

from harness import ROOT, Server, at_end, claim, until

sys.path.insert(0, str(ROOT / "tools"))
from scratch_postgres import ScratchPostgres, Unavailable  # noqa: E402

LEADER_TTL_SECONDS = 2
SETTINGS = {"leader_ttl": f"{LEADER_TTL_SECONDS}s", "node_beat_every": "500ms", "poll_every": "500ms"}


def database(**options):
    """A scratch cluster that ends with the test."""
    try:
        pg = ScratchPostgres(**{"pooled": False, **options}).__enter__()
    except Unavailable as problem:
        claim(False, f"a scratch PostgreSQL starts: {problem}")
    at_end(pg.close)
    return pg


class Node(Server):
    """A server on PostgreSQL. It keeps nothing of its own, so a restart needs only its name."""

    def __init__(self, url, name, *arguments, settings=None, **options):
        env = {f"MUSTER_POSTGRES_{key.upper()}": value for key, value in {**SETTINGS, "node": name, **(settings or {})}.items()}
        self.name, self.database_url, self.again = name, url, (arguments, settings, options)
        super().__init__("--store", url, *arguments, env={**env, **options.pop("env", {})}, **options)

    def restarted(self):
        """The same node as a new process."""
        arguments, settings, options = self.again
        return Node(self.database_url, self.name, *arguments, settings=settings, **{**options, "data_dir": self.data_dir}).ready()

    def cluster(self):
        """GET /api/v1/cluster, or an empty answer when it cannot say."""
        status, body = self.call("GET", "/api/v1/cluster")
        return body if status == 200 else {"leader": "", "nodes": []}

    def leader(self):
        return self.cluster().get("leader") or ""

    def well(self):
        return self.call("GET", "/readyz")[0] == 200


def start(pg, names, **options):
    """One node after the other, so the first leads; all know of all when this returns."""
    nodes = []
    for name in names:
        nodes.append(Node(pg.url, name, **options).ready())
        until(nodes[0].well, f"node {nodes[0].name} is ready")
        until(lambda: nodes[0].leader() == names[0], f"node {names[0]} leads")
    until(lambda: all(knows(node, names) for node in nodes), "every node knows of every other")
    return nodes


def knows(node, names, leader=None):
    """Whether this node lists exactly these as living, and names a leader among them."""
    seen = node.cluster()
    wanted = {leader} if leader else set(names)
    return {each["name"] for each in seen["nodes"]} == set(names) and seen.get("leader") in wanted


def addresses(nodes):
    """Those of the nodes whose process runs, looked at anew with every call."""
    return lambda: [node.address for node in nodes if node.process.poll() is None]
