#include "model/capability.h"

#include <algorithm>

#include <fmt/format.h>

#include "model/limits.h"

namespace muster {

CapabilitySet::CapabilitySet(std::vector<std::string> names) : names_(std::move(names)) {
  std::sort(names_.begin(), names_.end());
  names_.erase(std::unique(names_.begin(), names_.end()), names_.end());
}

bool CapabilitySet::contains(std::string_view name) const { return std::binary_search(names_.begin(), names_.end(), name); }

bool CapabilitySet::contains_kind_of(std::string_view name) const {
  const std::size_t colon = name.find(':');
  return colon != std::string_view::npos && contains(std::string(name.substr(0, colon + 1)) + "*");
}

bool CapabilitySet::covers(const CapabilitySet& needed) const {
  return std::includes(names_.begin(), names_.end(), needed.names_.begin(), needed.names_.end()) || missing(needed).empty();
}

std::vector<std::string> CapabilitySet::missing(const CapabilitySet& needed) const {
  std::vector<std::string> out;
  std::set_difference(needed.names_.begin(), needed.names_.end(), names_.begin(), names_.end(), std::back_inserter(out));
  std::erase_if(out, [this](const std::string& name) { return contains_kind_of(name); });
  return out;
}

CapabilitySet CapabilitySet::with(std::string name) const {
  std::vector<std::string> names = names_;
  names.push_back(std::move(name));
  return CapabilitySet(std::move(names));
}

CapabilitySet CapabilitySet::without(std::string_view name) const {
  CapabilitySet out = *this;
  std::erase(out.names_, name);
  return out;
}

std::string CapabilitySet::key() const { return fmt::format("{}", fmt::join(names_, "\n")); }

CapabilitySet CapabilitySet::from_key(std::string_view key) {
  std::vector<std::string> names;
  while (!key.empty()) {
    const std::size_t end = std::min(key.find('\n'), key.size());
    names.emplace_back(key.substr(0, end));
    key.remove_prefix(std::min(end + 1, key.size()));
  }
  return CapabilitySet(std::move(names));
}

Status validate_capability(std::string_view text) {
  if (text.empty() || text.size() > limits::kCapabilityBytesMax)
    return Status::invalid_argument(fmt::format("capability '{}' has {} bytes; 1 to {} are accepted", text.substr(0, 64),
                                                text.size(), limits::kCapabilityBytesMax));
  const std::size_t colon = text.find(':');
  if (colon == std::string_view::npos || colon == 0 || colon + 1 == text.size())
    return Status::invalid_argument(fmt::format("capability '{}' is not of the form kind:name", text));
  const std::string_view kind = text.substr(0, colon);
  const auto kind_ok = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '-'; };
  if (kind.front() < 'a' || kind.front() > 'z' || !std::all_of(kind.begin(), kind.end(), kind_ok))
    return Status::invalid_argument(fmt::format("capability '{}': the kind must match [a-z][a-z0-9_-]*", text));
  const auto printable = [](char c) { return static_cast<unsigned char>(c) > 0x20 && c != 0x7f; };
  if (!std::all_of(text.begin(), text.end(), printable))
    return Status::invalid_argument("a capability holds no spaces or control characters");
  return {};
}

std::string label_capability(std::string_view key, std::string_view value) { return fmt::format("label:{}={}", key, value); }

std::string worker_capability(std::string_view worker_id) { return fmt::format("worker:{}", worker_id); }
std::string node_capability(std::string_view node_type) { return "node:" + std::string(node_type); }

std::vector<std::string> label_capabilities(const Labels& labels) {
  std::vector<std::string> out;
  for (const auto& [key, value] : labels) {
    out.push_back(fmt::format("label:{}", key));
    out.push_back(label_capability(key, value));
  }
  return out;
}

}  // namespace muster
