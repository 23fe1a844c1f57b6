// What a node runs with, as it tells the other nodes of its store: so that each of them can say which settings differ.
//
// What must not be read, or is too long, is told as a seal: a keyed hash, which is the same for the same value on every node that
// has the same key. Whoever reads the store without the key cannot try values against it.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace muster::store {

inline constexpr std::size_t kNodesComparedMax = 100;  // whose settings one answer holds, by name; the others are left out

struct NodeSetting {
  std::string name;   // "retention.completed_kept"
  std::string value;  // as people may read it
  std::string seal;   // of all of it, when `value` is not; empty: it is. The key's own entry has the mark of the key here
  bool own = false;   // rightly another one on each node
  friend bool operator==(const NodeSetting&, const NodeSetting&) = default;
};

struct NodeSettings {
  std::string node;                   // filled in by the store
  std::string sealed_by;              // a mark of the key: only seals by the same key can be compared
  std::vector<NodeSetting> settings;  // empty: it tells nothing, as programs do that know nothing of this
  friend bool operator==(const NodeSettings&, const NodeSettings&) = default;
};

struct SettingsTold {
  bool kept = false;  // false: the store has one node, and there is nobody to compare
};

}  // namespace muster::store
