// The tool is proved before it proves anything: bare SQLite on the faulty disk keeps what it was told is durable, and the disk
// does take away what was not.
#include "tests/sim/faulty_vfs.h"

#include <gtest/gtest.h>
#include <sqlite3.h>

namespace muster::sim {
namespace {

constexpr const char* kFile = "/t.db";

struct Connection {
  explicit Connection(const FaultyVfs& vfs) {
    opened = sqlite3_open_v2(kFile, &db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, vfs.name().c_str()) == SQLITE_OK;
  }
  ~Connection() { sqlite3_close_v2(db); }
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;
  bool run(const char* sql) const { return opened && sqlite3_exec(db, sql, nullptr, nullptr, nullptr) == SQLITE_OK; }
  int number(const char* sql) const {
    sqlite3_stmt* statement = nullptr;
    int out = -1;
    if (sqlite3_prepare_v2(db, sql, -1, &statement, nullptr) == SQLITE_OK && sqlite3_step(statement) == SQLITE_ROW)
      out = sqlite3_column_int(statement, 0);
    sqlite3_finalize(statement);
    return out;
  }
  bool prepare_wal() const {
    return run("PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; CREATE TABLE IF NOT EXISTS t(n INTEGER PRIMARY KEY, pad TEXT)");
  }
  sqlite3* db = nullptr;
  bool opened = false;
};

TEST(FaultyVfs, KeepsEveryAcknowledgedCommitThroughCrashesAtAnyWrite) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    Random random(seed);
    Disk disk(random.fork());
    const FaultyVfs vfs("vfs-test", disk);
    int acknowledged = 0;
    int attempted = 0;
    for (int life = 0; life < 8; ++life) {
      disk.die_after(static_cast<std::uint64_t>(random.between(1, 80)));
      {
        const Connection writer(vfs);
        const Connection reader(vfs);
        bool alive = writer.prepare_wal();
        if (alive && !disk.dead()) {
          const int found = writer.number("SELECT count(*) FROM t");
          EXPECT_GE(found, acknowledged) << "seed " << seed;
          EXPECT_LE(found, attempted) << "seed " << seed;
          attempted = found;
          acknowledged = found;
        }
        while (alive && !disk.dead()) {
          ++attempted;
          alive = writer.run("INSERT INTO t(pad) VALUES(hex(randomblob(300)))");
          if (alive && !disk.dead()) acknowledged = attempted;
          if (alive && attempted % 7 == 0 && !disk.dead()) {
            EXPECT_EQ(reader.number("SELECT count(*) FROM t"), attempted);
          }
        }
        disk.kill();
      }
      disk.revive(static_cast<Loss>(random.below(3)));
    }
    const Connection last(vfs);
    EXPECT_GE(last.number("SELECT count(*) FROM t"), acknowledged) << "seed " << seed;
    EXPECT_EQ(last.number("SELECT count(*) FROM pragma_integrity_check WHERE integrity_check='ok'"), 1) << "seed " << seed;
  }
}

TEST(FaultyVfs, LosesWhatWasNeverSynced) {
  Disk disk(Random(7));
  const FaultyVfs vfs("vfs-test", disk);
  {
    const Connection db(vfs);
    ASSERT_TRUE(db.prepare_wal());
    ASSERT_TRUE(db.run("PRAGMA synchronous=OFF; PRAGMA wal_autocheckpoint=0"));
    for (int i = 0; i < 20; ++i) ASSERT_TRUE(db.run("INSERT INTO t(pad) VALUES('x')"));
    disk.kill();
  }
  disk.revive(Loss::unsynced);
  const Connection db(vfs);
  EXPECT_EQ(db.number("SELECT count(*) FROM t"), 0) << "an unsynced commit survived a power cut that spares nothing";
}

TEST(FaultyVfs, KeepsTheWholePageCacheWhenOnlyTheProcessDies) {
  Disk disk(Random(7));
  const FaultyVfs vfs("vfs-test", disk);
  {
    const Connection db(vfs);
    ASSERT_TRUE(db.prepare_wal());
    ASSERT_TRUE(db.run("PRAGMA synchronous=OFF"));
    for (int i = 0; i < 20; ++i) ASSERT_TRUE(db.run("INSERT INTO t(pad) VALUES('x')"));
    disk.kill();
  }
  disk.revive(Loss::none);
  const Connection db(vfs);
  EXPECT_EQ(db.number("SELECT count(*) FROM t"), 20);
}

TEST(FaultyVfs, FailsWritesOnAFullDiskAndRecoversWithSpace) {
  Disk disk(Random(3));
  const FaultyVfs vfs("vfs-test", disk);
  const Connection db(vfs);
  ASSERT_TRUE(db.prepare_wal());
  disk.faults.full = true;
  EXPECT_FALSE(db.run("INSERT INTO t(pad) VALUES(hex(randomblob(9000)))"));
  EXPECT_EQ(sqlite3_errcode(db.db), SQLITE_FULL);
  EXPECT_EQ(db.number("SELECT count(*) FROM t"), 0) << "reads go on";
  disk.faults.full = false;
  EXPECT_TRUE(db.run("INSERT INTO t(pad) VALUES(hex(randomblob(9000)))"));
}

TEST(FaultyVfs, ReportsAFailedSyncAsAFailedCommit) {
  Disk disk(Random(3));
  const FaultyVfs vfs("vfs-test", disk);
  const Connection db(vfs);
  ASSERT_TRUE(db.prepare_wal());
  disk.faults.sync_failure = 1;
  EXPECT_FALSE(db.run("INSERT INTO t(pad) VALUES('x')"));
  disk.faults.sync_failure = 0;
  EXPECT_TRUE(db.run("INSERT INTO t(pad) VALUES('y')"));
  EXPECT_EQ(db.number("SELECT count(*) FROM t"), 1);
}

}  // namespace
}  // namespace muster::sim
