#include "store/postgres/cluster/cluster_testing.h"

#include <unistd.h>

#include <cstdlib>

#include <fmt/format.h>

#include "base/log.h"

namespace muster::store::postgres {
namespace {

std::string from_environment(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? std::string() : std::string(value);
}

}  // namespace

void Ear::committed(const Committed& commit) {
  const std::lock_guard lock(mutex_);
  jobs_.insert(jobs_.end(), commit.jobs.begin(), commit.jobs.end());
  workers_.insert(workers_.end(), commit.workers.begin(), commit.workers.end());
  queues_.insert(queues_.end(), commit.queues.begin(), commit.queues.end());
  wakes_.insert(wakes_.end(), commit.wakes.begin(), commit.wakes.end());
}
std::vector<JobChange> Ear::jobs() const {
  const std::lock_guard lock(mutex_);
  return jobs_;
}
std::vector<WorkerChange> Ear::workers() const {
  const std::lock_guard lock(mutex_);
  return workers_;
}
std::vector<QueueChanged> Ear::queues() const {
  const std::lock_guard lock(mutex_);
  return queues_;
}
std::vector<LaneRef> Ear::wakes() const {
  const std::lock_guard lock(mutex_);
  return wakes_;
}

TestNode::TestNode(Options options)
    : node(std::move(options), metrics),
      notifier(node, metrics),
      outbox(&notifier),
      listener(node, notifier, metrics, [this] { ++polls; }) {
  node.outbox = &outbox;
  outbox.set_listener(&ear);
}

TestNode::~TestNode() { stop(); }

void TestNode::start() {
  notifier.start();
  listener.start();
}

void TestNode::stop() {
  listener.stop();
  notifier.stop();
}

void ClusterTest::SetUp() {
  url = from_environment("MUSTER_TEST_POSTGRES");
  pooled = from_environment("MUSTER_TEST_POSTGRES_POOLED");
  if (url.empty()) GTEST_FAIL() << "MUSTER_TEST_POSTGRES names no server; ./dev test starts one";
  log::set_level(log::Level::error);  // connections are lost on purpose here
  static int made = 0;
  schema = fmt::format("cluster_{}_{}", ::getpid(), ++made);
  const Status migrated = migrate(options("migration"));
  ASSERT_TRUE(migrated.ok()) << migrated.text();
  auto opened = Connection::open({.url = url, .application = "muster-test", .schema = schema});
  ASSERT_TRUE(opened.ok()) << opened.status().text();
  admin_ = std::move(*opened);
  // Statements are not prepared, so that a mistake in one fails its own test.
  opened = Connection::open({.url = url, .application = "muster-test", .schema = schema, .preparing = Preparing::never});
  ASSERT_TRUE(opened.ok()) << opened.status().text();
  worker_ = std::move(*opened);
  ASSERT_TRUE(worker_->start_pipeline().ok());
}

void ClusterTest::TearDown() {
  worker_.reset();
  if (admin_ != nullptr) run("SET client_min_messages = warning; DROP SCHEMA {schema} CASCADE");
}

Options ClusterTest::options(const std::string& node) const {
  Options options;
  options.url = url;
  options.schema = schema;
  options.node = schema + "-" + node;  // other tests may be at the same server
  options.poll_every = Duration(20);
  options.poll_every_listening = std::chrono::hours(1);
  options.seed = 1;
  return options;
}

bool ClusterTest::in_tx(Node& node, const std::function<void(Tx&)>& body) {
  Tx tx(*worker_, node);
  tx.begin();
  body(tx);
  const Status committed = tx.commit();
  EXPECT_TRUE(committed.ok()) << committed.text();
  if (!committed.ok()) tx.rollback();
  return committed.ok();
}

void ClusterTest::run(const std::string& sql) {
  const Status done = admin_->script(with_schema(sql, schema));
  EXPECT_TRUE(done.ok()) << done.text();
}

std::int64_t ClusterTest::ask(const std::string& sql) {
  const auto rows = admin_->query(with_schema(sql, schema));
  EXPECT_TRUE(rows.ok()) << rows.status().text();
  return rows.ok() && rows->size() > 0 ? rows->integer(0, 0) : 0;
}

// As the runner does it: names come into being in a transaction of their own, before the one that uses them.
LanePtr ClusterTest::a_lane(Node& node) {
  const auto look = [](Tx& tx) {
    return tx.lane_for(*tx.namespace_key(NamespaceName(kDefaultNamespace)), QueueName("mail"), JobType("send"),
                       CapabilitySet({"tool:x"}), false);
  };
  Tx lacking(*worker_, node);
  lacking.begin();
  static_cast<void>(look(lacking).ok());
  lacking.rollback();
  if (lacking.lacks_names()) in_tx(node, [&](Tx& tx) { tx.make_names(lacking); });
  LanePtr lane;
  in_tx(node, [&](Tx& tx) { lane = *look(tx); });
  return lane;
}

}  // namespace muster::store::postgres
