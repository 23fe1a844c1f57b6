#!/usr/bin/env python3
"""A PostgreSQL of one's own for tests, benchmarks and first steps, with a pgbouncer in front of it.

Both live in one scratch folder on free ports of this machine and are gone when their user is: in order at the end, and by the kernel
when the program that started them dies. Syncs are on, so that what is acknowledged is as durable as in earnest. The pooler is in
transaction mode, as people run it. Nothing here touches clusters that the distribution set up.

As a module:  with ScratchPostgres() as pg: connect(pg.url)
As a command: tools/scratch_postgres.py -- COMMAND…   runs it with MUSTER_TEST_POSTGRES and MUSTER_TEST_POSTGRES_POOLED set
              tools/scratch_postgres.py --wait        prints the addresses and waits for Ctrl-C
"""
import argparse
import contextlib
import fcntl
import glob
import os
import pathlib
import pwd
import random
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

DATABASE = "muster"
OWNER = "muster"        # owns the database and may make others; no superuser, as users should run it
SUPERUSER = "postgres"
SECRET_ROLE = "locked"  # the one role that needs a password
SECRET = "open-sesame"
CONNECTIONS_MAX = 200
START_SECONDS = 60
STOP_SECONDS = 30
MEMORY_BYTES_MIN = 2 << 30
# Below what the kernel hands out by itself: while a server is stopped nobody else is given its port, and nobody who knocks at the
# closed port is connected to himself.
PORTS = (15_000, 31_000)
PREFIX = "muster-postgres-"
URL_VARIABLE = "MUSTER_TEST_POSTGRES"
POOLED_VARIABLE = "MUSTER_TEST_POSTGRES_POOLED"


class Unavailable(Exception):
    """PostgreSQL or pgbouncer is not installed, or did not start; the text says why."""


def programs():
    """The folder of the newest PostgreSQL here."""
    found = [(int(re.search(r"/(\d+)/bin/", path).group(1)), path) for path in glob.glob("/usr/lib/postgresql/*/bin/postgres")]
    if found:
        return os.path.dirname(max(found)[1])
    path = shutil.which("postgres")
    if path is None:
        raise Unavailable("PostgreSQL is not installed: ./dev setup installs it")
    return os.path.dirname(path)


def pooler():
    path = shutil.which("pgbouncer", path=os.environ.get("PATH", "") + ":/usr/sbin:/usr/local/sbin")
    if path is None:
        raise Unavailable("pgbouncer is not installed: ./dev setup installs it")
    return path


def installed():
    try:
        return bool(programs() and pooler())
    except Unavailable:
        return False


def free_port():
    for _ in range(1000):
        port = random.randrange(*PORTS)
        with socket.socket() as probe:
            try:
                probe.bind(("0.0.0.0", port))
                return port
            except OSError:
                continue
    raise Unavailable(f"no free port between {PORTS[0]} and {PORTS[1]}")


def memory_folder():
    """A file system in memory with room for a test cluster, or None. Syncs are asked for all the same, only the disk is faster."""
    place = "/dev/shm"
    if not os.access(place, os.W_OK):
        return None
    room = os.statvfs(place)
    return place if room.f_bavail * room.f_frsize >= MEMORY_BYTES_MIN else None


def quiet_environment():
    """The caller's, without what would steer PostgreSQL's programs elsewhere."""
    return {name: value for name, value in os.environ.items() if not name.startswith("PG")}


def remove_abandoned(place):
    """Folders whose user died without a chance to tidy up: nobody holds their lock any more."""
    for path in glob.glob(os.path.join(place, PREFIX + "*", "lock")):
        with contextlib.suppress(OSError), open(path) as lock:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            shutil.rmtree(os.path.dirname(path), ignore_errors=True)


class ScratchPostgres:
    """One cluster and its pooler. Start it from a thread that lives as long as it should: the kernel ends it with that thread.

    `place` is where its folder is made (default: the usual temporary folder, on a disk), `settings` are lines of postgresql.conf,
    `hba` are lines of pg_hba.conf that come first, `listen` are further addresses. `data_place` is where tables go when they shall not be
    where the log of the database is: a full disk under the tables is an error to it, one under the log is its end.
    """

    def __init__(self, place=None, settings=None, hba=(), listen=(), pooled=True, data_place=None):
        self.bin = programs()
        self.pooled = pooled
        self._settings, self._hba, self._listen = dict(settings or {}), list(hba), ["127.0.0.1", *listen]
        self._server = self._pooler = None
        place = place or tempfile.gettempdir()
        remove_abandoned(place)
        self.folder = tempfile.mkdtemp(prefix=PREFIX, dir=place)
        # Named only once it is held: a lock that can be seen and is free means that its owner is gone.
        self._lock = open(os.path.join(self.folder, "lock.new"), "w")
        fcntl.flock(self._lock, fcntl.LOCK_EX)
        os.rename(self._lock.name, os.path.join(self.folder, "lock"))
        self.data = os.path.join(data_place or self.folder, "data")
        self._wal = ["--waldir", os.path.join(self.folder, "wal")] if data_place else []
        self.log = os.path.join(self.folder, "postgres.log")
        self._user = pwd.getpwnam(SUPERUSER) if os.geteuid() == 0 else None
        if self._user:  # the server refuses to run as root
            for owned in filter(None, (self.folder, data_place)):
                os.chown(owned, self._user.pw_uid, self._user.pw_gid)
        self.port = self.pooled_port = 0

    def __enter__(self):
        try:
            if not self.port:
                self.create()
            self.start()
            self._populate()
            if self.pooled:
                self._start_pooler()
        except BaseException:
            self.close()
            raise
        return self

    def __exit__(self, *_):
        self.close()

    # --- addresses ---

    def address(self, role=OWNER, database=DATABASE, host="127.0.0.1", port=None, password=None):
        secret = f":{password}" if password is not None else ""
        return f"postgres://{role}{secret}@{host}:{port or self.port}/{database}"

    @property
    def url(self):
        return self.address()

    @property
    def admin_url(self):
        return self.address(role=SUPERUSER)

    @property
    def pooled_url(self):
        return self.address(port=self.pooled_port)

    # --- the server ---

    def create(self):
        self._run([os.path.join(self.bin, "initdb"), "--pgdata", self.data, "--username", SUPERUSER, "--encoding", "UTF8",
                   "--locale", "C.UTF-8", "--auth", "trust", "--no-sync", "--no-instructions", *self._wal])
        self.port = free_port()
        settings = {"port": self.port, "listen_addresses": ",".join(self._listen), "unix_socket_directories": self._socket_folder(),
                    "max_connections": CONNECTIONS_MAX, "fsync": "on", "log_line_prefix": "%m [%p] %a ", **self._settings}
        with open(os.path.join(self.data, "postgresql.conf"), "a") as out:
            for name, value in settings.items():
                quoted = str(value).replace("'", "''")
                out.write(f"{name} = '{quoted}'\n")
        with open(os.path.join(self.data, "pg_hba.conf"), "w") as out:
            secret = [f"{kind} all {SECRET_ROLE} {where} scram-sha-256" for kind, where in (("host", "127.0.0.1/32"), ("local", ""))]
            trusted = ["local all all trust", "host all all 127.0.0.1/32 trust"]
            out.writelines(line + "\n" for line in [*self._hba, *secret, *trusted])

    def start(self):
        """Until it accepts connections. Recovery after an immediate stop is part of it."""
        with open(self.log, "ab") as log:
            self._server = self._spawn([os.path.join(self.bin, "postgres"), "-D", self.data], "INT", log)
        self._until(self._accepts, self._server, START_SECONDS, self.log, "PostgreSQL")

    def stop(self):
        """In order: connections are ended, everything is written."""
        self._end(signal.SIGINT)

    def stop_immediate(self):
        """As a crash: nothing is written, the next start recovers, and UNLOGGED tables are empty then."""
        self._end(signal.SIGQUIT)

    def running(self):
        return self._server is not None and self._server.poll() is None

    def psql(self, sql, url=None):
        """What psql prints, unadorned; by default as superuser. An error raises with psql's words."""
        done = subprocess.run([os.path.join(self.bin, "psql"), "-XAtq", "-v", "ON_ERROR_STOP=1", "-d", url or self.admin_url, "-c", sql],
                              capture_output=True, text=True, env=quiet_environment(), stdin=subprocess.DEVNULL)
        if done.returncode != 0:
            raise RuntimeError(f"psql: {done.stderr.strip()}")
        return done.stdout.rstrip("\n")

    def close(self):
        """Ends both and removes the folder. May be called twice."""
        if self._pooler is not None and self._pooler.poll() is None:
            self._pooler.terminate()
            self._pooler.wait(STOP_SECONDS)
        self._pooler = None
        self._end(signal.SIGINT)
        shutil.rmtree(self.folder, ignore_errors=True)
        self._lock.close()

    # --- private ---

    def _populate(self):
        self.psql(f"CREATE ROLE {OWNER} LOGIN CREATEDB; CREATE ROLE {SECRET_ROLE} LOGIN PASSWORD '{SECRET}'", self.address(SUPERUSER, "postgres"))
        self.psql(f"CREATE DATABASE {DATABASE} OWNER {OWNER}", self.address(SUPERUSER, "postgres"))

    def _socket_folder(self):
        # The kernel takes about a hundred bytes of path for a socket; TCP is what the tests use anyway.
        return self.folder if len(self.folder) < 80 else ""

    def _start_pooler(self):
        self.pooled_port = free_port()
        roles = os.path.join(self.folder, "roles.txt")
        configuration = os.path.join(self.folder, "pgbouncer.ini")
        log = os.path.join(self.folder, "pgbouncer.log")
        pathlib.Path(roles).write_text(f'"{OWNER}" ""\n"{SUPERUSER}" ""\n')
        # Everything else as it comes: what a default pooler refuses must not be needed.
        pathlib.Path(configuration).write_text(
            f"[databases]\n* = host=127.0.0.1 port={self.port}\n[pgbouncer]\npool_mode = transaction\nlisten_addr = 127.0.0.1\n"
            f"listen_port = {self.pooled_port}\nunix_socket_dir =\nauth_type = trust\nauth_file = {roles}\nmax_client_conn = 1000\n"
            f"server_login_retry = 1\nlog_connections = 0\nlog_disconnections = 0\n")
        with open(log, "ab") as sink:
            self._pooler = self._spawn([pooler(), "--quiet", configuration], "TERM", sink)
        self._until(lambda: self._answers(self.pooled_port), self._pooler, START_SECONDS, log, "pgbouncer")

    def _spawn(self, command, death_signal, log):
        """A session of its own, so that Ctrl-C reaches the caller alone; the kernel ends it if the caller dies."""
        identity = [f"--reuid={self._user.pw_uid}", f"--regid={self._user.pw_gid}", "--clear-groups"] if self._user else []
        return subprocess.Popen(["setpriv", *identity, "--pdeathsig", death_signal, "--", *command], stdin=subprocess.DEVNULL, stdout=log,
                                stderr=log, cwd="/", env=quiet_environment(), start_new_session=True)

    def _run(self, command):
        identity = {"user": self._user.pw_uid, "group": self._user.pw_gid, "extra_groups": []} if self._user else {}
        done = subprocess.run(command, capture_output=True, text=True, cwd="/", env=quiet_environment(), **identity)
        if done.returncode != 0:
            raise Unavailable(f"{os.path.basename(command[0])}: {done.stderr.strip()}")

    def _accepts(self):
        """As pg_ctl does: the last line of postmaster.pid is the server's own word about itself."""
        try:
            lines = pathlib.Path(self.data, "postmaster.pid").read_text().split("\n")
        except OSError:
            return False
        return len(lines) > 7 and int(lines[0]) == self._server.pid and lines[7].strip() == "ready"

    @staticmethod
    def _answers(port):
        with socket.socket() as probe:
            return probe.connect_ex(("127.0.0.1", port)) == 0

    def _until(self, condition, process, seconds, log, name):
        end = time.monotonic() + seconds
        while not condition():
            if process.poll() is not None or time.monotonic() > end:
                with contextlib.suppress(OSError):
                    process.kill()
                process.wait()
                raise Unavailable(f"{name} did not start:\n{pathlib.Path(log).read_text(errors='replace')[-2000:]}")
            time.sleep(0.02)

    def _end(self, number):
        if self._server is None:
            return
        if self._server.poll() is None:
            self._server.send_signal(number)
            try:
                self._server.wait(STOP_SECONDS)
            except subprocess.TimeoutExpired:
                self._server.send_signal(signal.SIGQUIT)
                self._server.wait()
        self._server = None


def end_on_signals():
    """SIGTERM and SIGHUP end the program through its `with` blocks, as Ctrl-C does."""
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda caught, _: sys.exit(128 + caught))


def run_command(pg, command):
    env = {**os.environ, URL_VARIABLE: pg.url, POOLED_VARIABLE: pg.pooled_url}
    child = subprocess.Popen(command, env=env)
    while True:
        try:
            return child.wait()
        except KeyboardInterrupt:
            continue  # the terminal told the command too; the server stays until it has ended
        except SystemExit:
            child.terminate()


def wait_for_stop(pg):
    print(f"direct  {pg.url}\npooled  {pg.pooled_url}\nadmin   {pg.admin_url}\n\ntry:    build/muster serve --store {pg.url}\nCtrl-C ends it and removes "
          f"{pg.folder}", flush=True)
    with contextlib.suppress(KeyboardInterrupt, SystemExit):
        signal.pause()
    return 0


def main():
    parser = argparse.ArgumentParser(usage="scratch_postgres.py [--memory] (--wait | -- COMMAND…)")
    parser.add_argument("--memory", action="store_true", help="keep the data in /dev/shm when there is room; syncs stay on")
    parser.add_argument("--wait", action="store_true", help="print the addresses and wait for Ctrl-C")
    parser.add_argument("command", nargs="*")
    options = parser.parse_args()
    if options.wait == bool(options.command):
        parser.error("give --wait or -- COMMAND…")
    end_on_signals()
    try:
        with ScratchPostgres(place=memory_folder() if options.memory else None) as pg:
            return wait_for_stop(pg) if options.wait else run_command(pg, options.command)
    except Unavailable as problem:
        print(f"scratch_postgres: {problem}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 128 + signal.SIGINT


if __name__ == "__main__":
    sys.exit(main())
