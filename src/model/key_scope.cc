#include "model/key_scope.h"

#include <cstddef>

namespace muster {
namespace {

constexpr std::size_t kUuidBytes = 36;

}  // namespace

std::string_view without_scope(std::string_view key) {
  const std::string_view kagzi = kKagziKeys;
  const std::string_view child = kChildKeys;
  if (key.starts_with(kagzi)) return key.substr(kagzi.size());
  const std::size_t scope = child.size() + kUuidBytes + 1;
  if (key.starts_with(child) && key.size() > scope && key[scope - 1] == ':') return key.substr(scope);
  return key;
}

}  // namespace muster
