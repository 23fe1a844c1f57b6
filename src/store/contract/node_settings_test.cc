// Contract: what nodes tell each other about their settings.
#include "store/contract/contract.h"

namespace muster::store::contract {
namespace {

class NodeSettingsContract : public StoreContract {
 protected:
  static NodeSettings some() {
    NodeSettings out;
    out.sealed_by = "key-1";
    out.settings = {{.name = "retention.completed_kept", .value = "7d", .seal = {}, .own = false},
                    {.name = "auth.session_key", .value = "(redacted)", .seal = "key-1", .own = false},
                    {.name = "listen.http", .value = "127.0.0.1:8080", .seal = {}, .own = true}};
    return out;
  }
  // Of the one node there is; its name is the store's to give.
  NodeSettings held(int line = __builtin_LINE()) {
    const auto all = must(client().node_settings(), line);
    if (all.size() != 1) throw std::runtime_error(fmt::format("line {}: {} nodes", line, all.size()));
    EXPECT_FALSE(all.front().node.empty());
    NodeSettings out = all.front();
    out.node.clear();
    return out;
  }
};

TEST_P(NodeSettingsContract, AStoreOfOneNodeKeepsNothing) {
  if (harness().has_nodes()) GTEST_SKIP() << "this store has nodes";
  EXPECT_FALSE(must(client().tell_settings(some())).kept);
  EXPECT_TRUE(must(client().node_settings()).empty());
}

TEST_P(NodeSettingsContract, WhatANodeTellsIsReadInItsOrder) {
  if (!harness().has_nodes()) GTEST_SKIP() << "this store has one node";
  EXPECT_EQ(held(), NodeSettings());  // it is there, and tells nothing
  EXPECT_TRUE(must(client().tell_settings(some())).kept);
  EXPECT_EQ(held(), some());
}

TEST_P(NodeSettingsContract, WhatIsToldAgainTakesItsPlace) {
  if (!harness().has_nodes()) GTEST_SKIP() << "this store has one node";
  must(client().tell_settings(some()));
  must(client().tell_settings(some()));
  EXPECT_EQ(held(), some());
  NodeSettings changed = some();
  changed.settings[0].value = "30d";
  changed.settings.pop_back();
  must(client().tell_settings(changed));
  EXPECT_EQ(held(), changed);
  changed.sealed_by = "key-2";  // nothing but the key
  must(client().tell_settings(changed));
  EXPECT_EQ(held(), changed);
}

TEST_P(NodeSettingsContract, ANodeThatLeftHasNone) {
  if (!harness().has_nodes()) GTEST_SKIP() << "this store has one node";
  must(client().tell_settings(some()));
  restart();
  EXPECT_EQ(held(), NodeSettings());
}

TEST_P(NodeSettingsContract, ANodeThatCrashedTellsAnew) {
  if (!harness().has_nodes()) GTEST_SKIP() << "this store has one node";
  must(client().tell_settings(some()));
  crash();
  NodeSettings changed = some();
  changed.settings[0].value = "1d";
  must(client().tell_settings(changed));
  EXPECT_EQ(held(), changed);
}

INSTANTIATE_TEST_SUITE_P(Stores, NodeSettingsContract, ::testing::ValuesIn(stores()), store_name);

}  // namespace
}  // namespace muster::store::contract
