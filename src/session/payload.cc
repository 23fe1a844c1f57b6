#include "session/payload.h"

#include "base/check.h"
#include "base/json_text.h"

namespace muster::session {

std::optional<Payload> Payload::read(std::string_view text) {
  Payload payload;
  if (!json::is_surely_json(text)) {
    payload.tree_ = json::parse(text);
    if (!payload.tree_) return std::nullopt;
  }
  payload.text_ = text;
  return payload;
}

const json::Tree& Payload::tree() const {
  if (!tree_) tree_ = json::parse(text_);
  check(tree_.has_value(), "a payload is JSON");
  return *tree_;
}

}  // namespace muster::session
