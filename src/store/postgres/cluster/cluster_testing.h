// A schema of one's own on the tests' server, and nodes on it, for tests of this folder.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "base/patience_testing.h"
#include "store/postgres/cluster/listener.h"
#include "store/postgres/cluster/notifier.h"
#include "store/postgres/node.h"
#include "store/postgres/tx.h"

namespace muster::store::postgres {

// Keeps what it was told.
class Ear final : public Listener {
 public:
  void committed(const Committed& commit) override;
  std::vector<JobChange> jobs() const;
  std::vector<WorkerChange> workers() const;
  std::vector<QueueChanged> queues() const;
  std::vector<LaneRef> wakes() const;

 private:
  mutable std::mutex mutex_;  // leaf; guards everything below
  std::vector<JobChange> jobs_;
  std::vector<WorkerChange> workers_;
  std::vector<QueueChanged> queues_;
  std::vector<LaneRef> wakes_;
};

// What of a node is about others: no verbs, no runner.
struct TestNode {
  explicit TestNode(Options options);
  ~TestNode();
  void start();
  void stop();

  Metrics metrics;
  Node node;
  std::atomic<int> polls{0};
  Ear ear;
  Notifier notifier;
  Outbox outbox;
  ClusterListener listener;
};

class ClusterTest : public ::testing::Test {
 protected:
  void SetUp() override;
  void TearDown() override;

  Options options(const std::string& node) const;  // the name is made unique
  std::unique_ptr<TestNode> a_node(const std::string& name) const { return std::make_unique<TestNode>(options(name)); }
  // In a transaction of its own; true when it was committed.
  bool in_tx(Node& node, const std::function<void(Tx&)>& body);
  void run(const std::string& sql);  // {schema} is put in
  std::int64_t ask(const std::string& sql);
  // Namespace `default`, queue `mail`, one lane, known to the node.
  LanePtr a_lane(Node& node);

  std::string url;
  std::string pooled;  // empty: there is none
  std::string schema;

 private:
  std::unique_ptr<Connection> admin_;
  std::unique_ptr<Connection> worker_;
};

}  // namespace muster::store::postgres
