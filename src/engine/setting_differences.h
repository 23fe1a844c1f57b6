// Which settings differ between the nodes of a store, from what each told of its own (store/node_settings.h).
//
// Two values are the same, or they differ, or nobody can say: both are sealed, by different keys. A setting is listed when its
// values are not all the same among the nodes that have it; a node of another version may not know it, and that is no difference.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "store/node_settings.h"

namespace muster::engine {

struct ValueOfNode {
  std::string node;
  std::string value;        // as that node shows it; a secret's is redacted
  std::uint32_t group = 0;  // nodes of the same group have the same value; from 1, in the order of the nodes
};

struct SettingDifference {
  std::string name;
  bool own = false;    // rightly another one on each node
  bool known = false;  // false: the values are sealed by different keys, so that they may be the same after all
  std::vector<ValueOfNode> values;
};

struct SettingDifferences {
  std::vector<std::string> nodes;           // that told their settings
  std::vector<std::string> silent;          // that are there and told nothing
  std::uint64_t differing = 0;              // settings that differ and should not
  std::vector<SettingDifference> settings;  // those that should not differ first, otherwise in the order they were told
};

SettingDifferences setting_differences(const std::vector<store::NodeSettings>& nodes);

}  // namespace muster::engine
