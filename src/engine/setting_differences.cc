#include "engine/setting_differences.h"

#include <algorithm>
#include <unordered_map>

namespace muster::engine {
namespace {

struct Told {
  const store::NodeSettings* by = nullptr;
  const store::NodeSetting* setting = nullptr;
};

enum class Relation : std::uint8_t { same, differs, unknown };

Relation compare(const Told& a, const Told& b) {
  if (a.setting->value != b.setting->value || a.setting->seal.empty() != b.setting->seal.empty()) return Relation::differs;
  if (a.setting->seal == b.setting->seal) return Relation::same;
  const bool is_key = a.setting->seal == a.by->sealed_by && b.setting->seal == b.by->sealed_by;
  return is_key || a.by->sealed_by == b.by->sealed_by ? Relation::differs : Relation::unknown;
}

// One setting with every node that has it. Its values fall into groups of the same; a value joins the first group that it equals.
SettingDifference grouped(const std::string& name, const std::vector<Told>& told) {
  SettingDifference out;
  out.name = name;
  std::vector<Told> groups;
  for (const Told& one : told) {
    out.own = out.own || one.setting->own;
    std::size_t at = 0;
    while (at < groups.size() && compare(groups[at], one) != Relation::same) ++at;
    if (at == groups.size()) groups.push_back(one);
    out.values.push_back({.node = one.by->node, .value = one.setting->value, .group = static_cast<std::uint32_t>(at + 1)});
  }
  for (std::size_t i = 0; i < groups.size(); ++i)
    for (std::size_t j = 0; j < i; ++j) out.known = out.known || compare(groups[i], groups[j]) == Relation::differs;
  return out;
}

}  // namespace

SettingDifferences setting_differences(const std::vector<store::NodeSettings>& nodes) {
  SettingDifferences out;
  std::vector<std::string> names;
  std::unordered_map<std::string, std::vector<Told>> told;
  for (const store::NodeSettings& node : nodes) {
    (node.settings.empty() ? out.silent : out.nodes).push_back(node.node);
    for (const store::NodeSetting& setting : node.settings) {
      std::vector<Told>& of_name = told[setting.name];
      if (of_name.empty()) names.push_back(setting.name);
      of_name.push_back({&node, &setting});
    }
  }
  for (const std::string& name : names) {
    SettingDifference one = grouped(name, told[name]);
    const bool all_same = std::all_of(one.values.begin(), one.values.end(), [](const auto& value) { return value.group == 1; });
    if (all_same) continue;
    if (one.known && !one.own) ++out.differing;
    out.settings.push_back(std::move(one));
  }
  std::stable_partition(out.settings.begin(), out.settings.end(), [](const SettingDifference& one) { return !one.own; });
  return out;
}

}  // namespace muster::engine
