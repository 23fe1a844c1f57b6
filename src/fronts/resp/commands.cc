#include "fronts/resp/commands.h"

#include <algorithm>
#include <string>
#include <unordered_map>

#include "base/check.h"

namespace muster::resp {
namespace {

// Names are short, and these three tell nearly all of them apart.
struct NameHash {
  std::size_t operator()(std::string_view name) const noexcept {
    if (name.empty()) return 0;
    const auto at = [name](std::size_t i) { return static_cast<std::size_t>(static_cast<unsigned char>(name[i])); };
    return at(0) * 31 + at(name.size() / 2) * 961 + at(name.size() - 1) * 7 + name.size();
  }
};

struct Table {
  Table() {
    for (const std::span<const Entry> part : {link_commands(), keyspace_commands(), work_commands(), plan_commands()})
      for (const Entry& entry : part) {
        check(by_name.emplace(entry.name, &entry).second, "a command has one entry");
        sorted.push_back(&entry);
      }
    std::sort(sorted.begin(), sorted.end(), [](const Entry* a, const Entry* b) { return a->name < b->name; });
  }
  std::unordered_map<std::string_view, const Entry*, NameHash> by_name;
  std::vector<const Entry*> sorted;
};

const Table& table() {
  static const Table made;
  return made;
}

}  // namespace

const Entry* find_command(std::string_view name) {
  const auto& names = table().by_name;
  const auto at = names.find(name);
  return at == names.end() ? nullptr : at->second;
}

std::span<const Entry* const> all_commands() { return table().sorted; }

}  // namespace muster::resp
