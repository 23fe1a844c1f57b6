// Several nodes on one schema, for what the contract suite, which has one store, cannot show.
#pragma once

#include <gtest/gtest.h>

#include <deque>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/ask_testing.h"
#include "base/metrics.h"
#include "base/reply.h"
#include "model/ids.h"
#include "store/postgres/store.h"

namespace muster::store::postgres {

inline const NamespaceName kDefault{kDefaultNamespace};

class NodesTest : public testing::Test {
 protected:
  // `name`: of the schema, before the process's number.
  NodesTest(std::string name, std::size_t count) : schema_(std::move(name)), count_(count) {}
  void SetUp() override;
  void TearDown() override;

  std::string url_;
  std::string schema_;
  std::deque<Metrics> metrics_;  // of each node
  std::vector<std::unique_ptr<PostgresStore>> nodes_;

 private:
  const std::size_t count_;
};

}  // namespace muster::store::postgres
