// What a worker offers and a job needs: sets of `kind:name`, and the one rule that joins them.
//
// Labels take part as capabilities of kind `label` (`label:region` and `label:region=eu` for a worker labelled
// region=eu), and every worker offers `worker:<its id>`, so selectors and affinity are matched by the same subset test.
// A worker that cannot say which names of a kind it has offers `kind:*`, which stands for all of them.
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace muster {

using Labels = std::map<std::string, std::string>;

// Sorted, without repeats. Values compare as sets.
class CapabilitySet {
 public:
  CapabilitySet() = default;
  explicit CapabilitySet(std::vector<std::string> names);
  std::span<const std::string> names() const { return names_; }
  bool empty() const { return names_.empty(); }
  bool contains(std::string_view name) const;
  // Is the whole kind of this name offered, as `kind:*`?
  bool contains_kind_of(std::string_view name) const;
  // needed ⊆ offered.
  bool covers(const CapabilitySet& needed) const;
  // The needed names that are not offered here, in order.
  std::vector<std::string> missing(const CapabilitySet& needed) const;
  CapabilitySet with(std::string name) const;
  CapabilitySet without(std::string_view name) const;
  // One line, names joined by '\n' (no name may hold one): the key under which a lane is stored.
  std::string key() const;
  static CapabilitySet from_key(std::string_view key);
  friend auto operator<=>(const CapabilitySet&, const CapabilitySet&) = default;

 private:
  std::vector<std::string> names_;
};

// `kind:name`, printable, within limits; kind is [a-z][a-z0-9_-]*.
Status validate_capability(std::string_view text);

// The capabilities a worker's labels stand for.
std::vector<std::string> label_capabilities(const Labels& labels);
std::string label_capability(std::string_view key, std::string_view value);
std::string worker_capability(std::string_view worker_id);
std::string node_capability(std::string_view node_type);

}  // namespace muster
