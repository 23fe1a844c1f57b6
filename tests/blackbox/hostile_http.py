"""Hostile peers of the HTTP wire. Routes and bodies follow the OpenAPI document that the server serves, until they do not."""
import http.client
import json

from hostile import POOL, Peer, leave

NAMESPACE = "hostile"
BIG_BODY_BYTES = 9 << 20
PAGES = 63
BIG_JOBS, BIG_PAYLOAD_BYTES = 40, 100_000
EVIL = ("https://evil.example", "null", "http://127.0.0.1.evil.example")


class Document:
    def __init__(self, address, tokens):
        self.tokens = list(tokens)  # the operator's first
        connection = http.client.HTTPConnection(address)
        connection.request("GET", "/api/v1/openapi.json")
        document = json.loads(connection.getresponse().read())
        connection.close()
        self.schemas = document["components"]["schemas"]
        self.operations = [(method.upper(), path, operation) for path, methods in document["paths"].items()
                           for method, operation in methods.items() if method != "parameters"]

    def value(self, schema, dice, name="", depth=4):
        if name == "namespace":
            return NAMESPACE
        if "$ref" in schema:
            schema = self.schemas[schema["$ref"].rsplit("/", 1)[1]]
        if dice.randrange(15) == 0 or depth == 0:
            return dice.json()
        if "enum" in schema:
            return dice.choice(schema["enum"])
        kind = schema.get("type")
        if kind == "object" or "properties" in schema:
            fields = schema.get("properties", {})
            wanted = [field for field in fields if field == "namespace" or field in schema.get("required", ()) or dice.randrange(3) == 0]
            return {field: self.value(fields[field], dice, field, depth - 1) for field in wanted}
        if kind == "array":
            return [self.value(schema.get("items", {}), dice, "", depth - 1) for _ in range(dice.randrange(4))]
        if kind in ("integer", "number"):
            return dice.number()
        if kind == "boolean":
            return dice.randrange(2) == 0
        return dice.choice(POOL) if kind == "string" else dice.json()

    def request(self, dice):
        method, path, operation = dice.choice(self.operations)
        while "{" in path:
            head, _, rest = path.partition("{")
            path = head + dice.choice(POOL).replace(":", "%3A") + rest.partition("}")[2]
        names = [parameter.get("name") for parameter in operation.get("parameters", []) if parameter.get("in") == "query"]
        query = "&".join(f"{name}={NAMESPACE if name == 'namespace' else dice.choice([*POOL, '1', '-1', '%00', '999999999999'])}"
                         for name in names if name == "namespace" or dice.randrange(4) == 0)
        schema = operation.get("requestBody", {}).get("content", {}).get("application/json", {}).get("schema")
        body = b"" if schema is None else json.dumps(self.value(schema, dice)).encode()
        return method, path + (f"?{query}" if query else ""), body

    def head(self, method, target, size, dice):
        lines = [f"{method} {target} HTTP/1.1", "Host: 127.0.0.1", f"Content-Length: {size}", "Content-Type: application/json"]
        if dice.randrange(8):
            lines.append(f"Authorization: Bearer {self.tokens[0] if dice.randrange(4) else dice.choice([*self.tokens, 'wrong', ''])}")
        if dice.randrange(10) == 0:
            lines.append(f"Origin: {dice.choice(EVIL)}")
        if dice.randrange(4) == 0:
            lines.append("Accept-Encoding: gzip")
        return ("\r\n".join(lines) + "\r\n\r\n").encode(errors="replace")

    def bytes(self, dice):
        method, target, body = self.request(dice)
        return self.head(method, target, len(body), dice) + body


def prepare(post):
    """A namespace for the peers, and pages that are worth compressing."""
    post("/api/v1/namespaces", {"name": NAMESPACE})
    jobs = [{"namespace": NAMESPACE, "queue": "h-big", "type": "h-type", "payload": "p" * BIG_PAYLOAD_BYTES, "expires_in_ms": 86_400_000} for _ in range(BIG_JOBS)]
    post("/api/v1/jobs/bulk", {"jobs": jobs})


def habits(document):
    def valid(address, dice):
        peer = Peer(address)
        for _ in range(dice.randrange(1, 10)):
            peer.send(document.bytes(dice))
        peer.read_some(0.2)
        leave(peer, dice)

    def broken(address, dice):
        peer = Peer(address)
        peer.send(dice.broken(document.bytes(dice)))
        peer.read_some(0.1)
        leave(peer, dice)

    def broken_body(address, dice):
        method, target, body = document.request(dice)
        body = dice.broken(body or b"{}") if dice.randrange(3) else dice.json_text().encode(errors="replace")
        peer = Peer(address)
        peer.send(document.head(method, target, len(body), dice) + body)
        peer.read_some(0.1)
        leave(peer, dice)

    def strange_head(address, dice):
        peer = Peer(address)
        peer.send(dice.choice((b"GET / HTTP/9.9\r\n\r\n", b"POST /api/v1/jobs HTTP/1.1\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
                               b"POST /api/v1/jobs HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nffffffffffffffff\r\n", b"GET /" + b"a" * 100_000,
                               b"GET / HTTP/1.1\r\n" + b"X: y\r\n" * 5_000 + b"\r\n", b"\x16\x03\x01\x02\x00\x01\x00", b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
                               b"POST /api/v1/jobs HTTP/1.1\r\nHost: 127.0.0.1\r\nExpect: 100-continue\r\nContent-Length: 99999999999\r\n\r\n")))
        peer.read_some(0.1)
        leave(peer, dice)

    def slow(address, dice):
        peer = Peer(address)
        peer.drip(document.bytes(dice))
        leave(peer, dice)

    def oversized(address, dice):
        peer = Peer(address)
        peer.send(document.head("POST", "/api/v1/jobs", BIG_BODY_BYTES, dice) + b"[" * BIG_BODY_BYTES)
        peer.read_some(0.2)
        leave(peer, dice)

    def greedy(address, dice):
        """Asks for far more pages than it reads."""
        peer = Peer(address)
        page = f"/api/v1/jobs?namespace={NAMESPACE}&limit=1000&payload=true"
        peer.send(b"".join(document.head("GET", page, 0, dice) for _ in range(PAGES)))
        peer.read_some(dice.choice((0.05, 1.0)))
        leave(peer, dice)

    def deaf(address, dice):
        """Wants to hear of everything and does not listen."""
        peer = Peer(address)
        peer.send(document.head("GET", f"/events?namespace={NAMESPACE}", 0, dice))
        peer.read_some(0.05)
        leave(peer, dice)

    return [valid, valid, broken, broken_body, strange_head, slow, oversized, greedy, deaf]
