"""What Python libraries that were made for Redis do against a server. Runs with Debian's own Python, which has them.

usage: resp_libraries_client.py LIBRARY HOST PORT KEY; ends with 0 when everything it did went well."""
import os
import sys
import time

import redis

LIBRARY, HOST, PORT, KEY = sys.argv[1], sys.argv[2], int(sys.argv[3]), sys.argv[4]


def add(one, other):
    return one + other


def fail():
    raise ValueError("as it should")


def use_redis():
    client = redis.Redis(HOST, PORT, password=KEY, decode_responses=True)
    client.rpush("redis:list", "hello", "world")
    assert client.blpop("redis:list", timeout=5) == ("redis:list", "hello")
    assert client.brpop(["redis:none", "redis:list"], timeout=5) == ("redis:list", "world")
    assert client.blpop("redis:list", timeout=1) is None
    with client.pipeline() as pipe:  # MULTI and EXEC
        assert pipe.set("redis:text", "v").incr("redis:number").lrange("redis:list", 0, -1).execute() == [True, 1, []]
    with client.pipeline(transaction=False) as pipe:
        assert pipe.get("redis:text").hset("redis:hash", mapping={"a": 1, "b": 2}).execute() == ["v", 2]

    def double(pipe):
        value = int(pipe.get("redis:number"))
        pipe.multi()
        pipe.set("redis:number", value * 2)

    client.transaction(double, "redis:number")  # WATCH, and again when somebody else was quicker
    assert client.get("redis:number") == "2"
    with client.pipeline() as pipe:
        pipe.watch("redis:number")
        client.incr("redis:number")
        pipe.multi()
        pipe.set("redis:number", 0)
        try:
            pipe.execute()
            raise AssertionError("a watched key that changed lets nothing happen")
        except redis.WatchError:
            pass
    assert client.get("redis:number") == "3"
    channel = client.pubsub(ignore_subscribe_messages=True)
    channel.subscribe("redis:news")
    deadline = time.monotonic() + 5
    while not (message := channel.get_message(timeout=0.1)) and time.monotonic() < deadline:
        client.publish("redis:news", "hello")
    assert message["data"] == "hello"
    assert sorted(client.scan_iter("redis:*"))
    assert [name for name, _ in client.hscan_iter("redis:hash")] == ["a", "b"]
    lock = client.lock("redis:lock")
    assert lock.acquire()
    try:
        lock.release()
        raise AssertionError("scripts are refused, and a lock is released by one")
    except redis.ResponseError as error:
        assert "scripts" in str(error), error


def use_rq():
    import rq
    from rq.job import JobStatus

    connection = redis.Redis(HOST, PORT, password=KEY)
    queue = rq.Queue("rq-tests", connection=connection)
    import resp_libraries_client as here

    jobs = [queue.enqueue(here.add, number, 1) for number in range(10)]
    bad = queue.enqueue(here.fail)
    late = queue.enqueue(here.add, 1, 1, depends_on=jobs[0])
    worker = rq.SimpleWorker([queue], connection=connection)
    worker.work(burst=True, logging_level="ERROR")
    assert [job.result for job in jobs] == [number + 1 for number in range(10)]
    assert late.result == 2
    assert bad.get_status() == JobStatus.FAILED
    assert queue.failed_job_registry.count == 1
    bad.requeue()
    assert queue.count == 1


if __name__ == "__main__":
    sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
    {"redis": use_redis, "rq": use_rq}[LIBRARY]()
    print("well")
