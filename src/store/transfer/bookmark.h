// How far a copy is. Kept in a row of the target and committed with the data, so that a copy that was killed goes on where it
// was.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/status.h"
#include "store/transfer/record.h"

namespace muster::store::transfer {

// The row of the table `meta` that holds it, in both stores.
inline constexpr const char* kMetaBookmark = "copy";
// What a half-filled store says its schema's version is. No program knows it, so none, however old, serves half of a queue.
inline constexpr std::uint32_t kVersionHalfCopied = 1'000'000;

struct Bookmark {
  std::string source;        // the fingerprint of what is copied; hexadecimal
  std::uint32_t schema = 0;  // version of the target's schema
  bool done = false;         // finished: it may be served
  Kind kind = Kind::namespaces;
  Position after;  // the last record of `kind` that is in
  friend bool operator==(const Bookmark&, const Bookmark&) = default;
};

std::string bookmark_to_text(const Bookmark& bookmark);
// Empty: it was not written by bookmark_to_text().
std::optional<Bookmark> bookmark_from_text(std::string_view text);

// What a target that holds this bookmark answers to a copy of `source` under its own schema's version: go on, or why not.
Status may_continue(const Bookmark& bookmark, const std::string& source, std::uint32_t schema);
// A target without a bookmark takes a copy only if nothing but a namespace that every store begins with is in it.
Status must_be_empty(const Counts& counts);

}  // namespace muster::store::transfer
