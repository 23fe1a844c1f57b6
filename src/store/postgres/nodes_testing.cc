#include "store/postgres/nodes_testing.h"

#include <unistd.h>

#include <cstdlib>

#include <fmt/format.h>

#include "base/log.h"
#include "store/postgres/statements.h"
#include "store/postgres/wire/connection.h"

namespace muster::store::postgres {

void NodesTest::SetUp() {
  const char* const url = std::getenv("MUSTER_TEST_POSTGRES");
  if (url == nullptr) GTEST_FAIL() << "MUSTER_TEST_POSTGRES names no server; ./dev test starts one";
  log::set_level(log::Level::error);
  url_ = url;
  schema_ += fmt::format("_{}", ::getpid());
  for (std::size_t i = 0; i < count_; ++i) {
    Options options;
    options.url = url_;
    options.schema = schema_;
    options.node = fmt::format("n{}", i);
    options.connections = kConnectionsMin;
    auto opened = PostgresStore::open(std::move(options), metrics_.emplace_back());
    ASSERT_TRUE(opened.ok()) << opened.status().text();
    nodes_.push_back(std::move(*opened));
  }
}

void NodesTest::TearDown() {
  for (auto& node : nodes_) EXPECT_TRUE(node->close().ok());
  nodes_.clear();
  if (url_.empty()) return;
  auto connection = Connection::open({.url = url_, .application = "muster-race", .schema = schema_});
  ASSERT_TRUE(connection.ok()) << connection.status().text();
  EXPECT_TRUE((*connection)->script(with_schema("DROP SCHEMA {schema} CASCADE", schema_)).ok());
}

}  // namespace muster::store::postgres
