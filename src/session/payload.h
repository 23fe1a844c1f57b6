// The payload of a frame: the text as it came, and a tree of it for those who ask.
//
// Most payloads of a busy session are looked at once and passed on; no tree is made of them. A payload belongs to one thread at a
// time, also for reading: the tree is made by the first who asks.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/json_reader.h"

namespace muster::session {

class Payload {
 public:
  Payload() = default;      // {}
  Payload(json::Tree tree)  // NOLINT(google-explicit-constructor): whoever has a tree has a payload
      : text_(json::dump(tree)), tree_(std::move(tree)) {}
  // nullopt: the text is no JSON.
  static std::optional<Payload> read(std::string_view text);

  const std::string& text() const { return text_; }
  const json::Tree& tree() const;
  bool is_object() const { return text_.front() == '{'; }

 private:
  std::string text_ = "{}";
  mutable std::optional<json::Tree> tree_;
};

}  // namespace muster::session
