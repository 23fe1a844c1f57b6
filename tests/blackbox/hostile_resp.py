"""Hostile peers of the RESP wire. The commands are those the server names itself, so a new one is attacked as soon as it exists."""
from hostile import POOL, Dice, Peer, leave
from resp import Client, frame

# What ends, empties or reconfigures the whole server is an operator's right and not under test.
SPARED = {"flushall", "flushdb", "shutdown", "config", "client", "debug", "swapdb", "quit", "reset"}
BIG_BYTES = 1 << 20
GREEDY_GETS = 300
COLLECTION = 2_000
EXPENSIVE = (("SRANDMEMBER", "h:set", "-100000"), ("SMEMBERS", "h:set"), ("SPOP", "h:set", "10"), ("SUNIONSTORE", "h:3", "h:set", "h:set"),
             ("ZRANGE", "h:zset", "0", "-1"), ("ZREMRANGEBYRANK", "h:zset", "0", "5"), ("HGETALL", "h:hash"), ("LRANGE", "h:list", "0", "-1"),
             ("LREM", "h:list", "0", "none"), ("LINSERT", "h:list", "BEFORE", "none", "x"), ("KEYS", "*a*b*c*d*e*"), ("SCAN", "0", "COUNT", "100000"),
             ("SINTERSTORE", "h:1", "h:set", "h:set"), ("LTRIM", "h:list", "10", "-1"), ("HRANDFIELD", "h:hash", "-100000"))


class Keys:
    """Who the peers say they are: operator, read-only, a worker, nobody, a guess."""

    def __init__(self, secrets):
        self.secrets = secrets
        self.commands = []  # name and least number of words, as COMMAND tells

    def greet(self, peer, dice):
        secret = dice.choice([*self.secrets.values(), "f" * 64, None])
        if secret is not None:
            peer.send(frame("AUTH", secret))


def prepare(address, secrets):
    """Collections that are worth an expensive command, and the table of commands."""
    keys = Keys(secrets)
    client = Client(address, secrets["operator"])
    keys.commands = [(entry[0].decode(), abs(entry[1])) for entry in client.ask("COMMAND") if entry[0].decode() not in SPARED]
    fill(client)
    client.close()
    return keys


def fill(client):
    client.ask("SET", "h:big", b"b" * BIG_BYTES)
    client.ask("SADD", "h:set", *[f"m{i}" for i in range(COLLECTION)])
    client.ask("RPUSH", "h:list", *[f"e{i}" for i in range(COLLECTION)])
    client.ask("HSET", "h:hash", *[word for i in range(COLLECTION) for word in (f"f{i}", "v")])
    client.ask("ZADD", "h:zset", *[word for i in range(COLLECTION) for word in (str(i), f"m{i}")])


def habits(keys):
    def one(dice):
        name, least = dice.choice(keys.commands)
        words = [dice.choice(POOL) if i == 0 else dice.word() for i in range(max(0, least - 1) + dice.randrange(3))]
        return frame(name, *[word.encode(errors="replace") for word in words])

    def pipeline(dice):
        return b"".join(one(dice) for _ in range(dice.randrange(1, 30)))

    def valid(address, dice):
        peer = Peer(address)
        keys.greet(peer, dice)
        for _ in range(dice.randrange(1, 6)):
            peer.send(pipeline(dice))
            peer.read_some(0.1)
        leave(peer, dice)

    def broken(address, dice):
        peer = Peer(address)
        keys.greet(peer, dice)
        peer.send(dice.broken(pipeline(dice)))
        peer.read_some(0.1)
        leave(peer, dice)

    def oversized(address, dice):
        peer = Peer(address)
        keys.greet(peer, dice)
        peer.send(dice.choice((b"*2\r\n$3\r\nGET\r\n$99999999999\r\n", b"*1000000\r\n" + b"$1\r\nx\r\n" * 1_000, b"*1\r\n" * 5_000, b"x" * 200_000,
                               frame("SET", "h:1", b"x" * (11 << 20)), b"*-5\r\n$-7\r\n", b"$5\r\nhello\r\n" * 100)))
        peer.read_some(0.1)
        leave(peer, dice)

    def slow(address, dice):
        peer = Peer(address)
        if dice.randrange(2):
            keys.greet(peer, dice)
        peer.drip(pipeline(dice))
        leave(peer, dice)

    def greedy(address, dice):
        """Asks for far more than it reads."""
        peer = Peer(address)
        peer.send(frame("AUTH", keys.secrets["operator"]) + frame("GET", "h:big") * GREEDY_GETS)
        peer.read_some(dice.choice((0.05, 1.0)))
        leave(peer, dice)

    def expensive(address, dice):
        peer = Peer(address)
        peer.send(frame("AUTH", keys.secrets["operator"]) + b"".join(frame(*dice.choice(EXPENSIVE)) for _ in range(5)))
        peer.read_some(1.0)
        leave(peer, dice)

    def subscriber(address, dice):
        peer = Peer(address)
        keys.greet(peer, dice)
        peer.send(frame("SUBSCRIBE", *["c" * dice.choice((1, 60_000)) + str(i) for i in range(50)]))
        peer.read_some(0.1)
        leave(peer, dice)

    def waiting(address, dice):
        """Pops that wait, and clients that do not."""
        peer = Peer(address)
        peer.send(frame("AUTH", keys.secrets["operator"]) + frame(dice.choice(("BRPOP", "BLPOP")), dice.choice(("h:none", "queue:h-queue")), "1") + one(dice))
        peer.read_some(dice.choice((0.0, 0.3)))
        leave(peer, dice)

    def refill(address, dice):
        client = Client(address, keys.secrets["operator"], timeout=5)
        client.ask("DEL", "h:set", "h:list", "h:hash", "h:zset")
        fill(client)
        client.close()

    return [valid, valid, broken, broken, oversized, slow, greedy, expensive, subscriber, waiting, refill]
