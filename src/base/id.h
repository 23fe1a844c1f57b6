// Names that cannot be swapped: Id<JobTag> and Id<WorkerTag> do not convert into each other or back into a string
// unless it is spelled out.
#pragma once

#include <compare>
#include <functional>
#include <string>
#include <utility>

namespace muster {

template <class Tag>
class Id {
 public:
  Id() = default;
  explicit Id(std::string text) : text_(std::move(text)) {}
  const std::string& text() const { return text_; }
  bool empty() const { return text_.empty(); }
  friend auto operator<=>(const Id&, const Id&) = default;

 private:
  std::string text_;
};

}  // namespace muster

template <class Tag>
struct std::hash<muster::Id<Tag>> {
  std::size_t operator()(const muster::Id<Tag>& id) const noexcept { return std::hash<std::string>()(id.text()); }
};
