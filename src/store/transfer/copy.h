// Copying one store into another: everything in batches, then both are read again and compared, then the target may be served.
//
//   begin ─► put … put ─► compare ─► finish
//
// Killed anywhere, it is started again with the same words and goes on at the target's bookmark. Nothing is ever written to the
// source. A target that does not compare equal is not finished, so nobody can serve it.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "base/status.h"
#include "store/transfer/digest.h"
#include "store/transfer/record.h"

namespace muster::store::transfer {

// How far a copy is. Kept in a row of the target and committed with the data, so that a copy that was killed goes on where it
// was.

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

// The two ends of a copy. Each store has both; copy() joins them.
//
// Opening an end is the store's own business: it refuses a source or target that is in use, or of a version it does not know.
// Everything here belongs to one thread.

// A store that is read. Reading changes nothing.
class Source {
 public:
  virtual ~Source() = default;

  virtual Result<Numbers> numbers() = 0;
  virtual Result<Counts> counts() = 0;
  // The next records of a kind, at most `limit` and about kCopyBatchBytesMax of contents, in an order that does not change. None:
  // the end.
  virtual Result<Batch> read(Kind kind, const Position& after, std::size_t limit) = 0;
};

// A store that is filled. From begin() to finish() nobody else can serve it, whatever happens in between.
class Sink {
 public:
  virtual ~Sink() = default;

  // Makes an empty store ready for a copy of this source, or finds the copy of it that was begun before; says how far that is.
  // conflict: there is something else in it.
  virtual Result<Bookmark> begin(const Numbers& numbers, const std::string& source) = 0;
  // One batch and the new bookmark, both or neither. REQUIRES: begin(), and batches in the order of kinds.
  virtual Status put(const Records& records, const Bookmark& bookmark) = 0;
  // Everything is in: leases start anew, numbers go on above those of the source, and the store may be served.
  virtual Status finish() = 0;
  // What is in it by now.
  virtual Source& contents() = 0;
};

inline constexpr std::size_t kCopyBatchDefault = 1'000;
inline constexpr std::size_t kCopyBatchMin = 1;
inline constexpr std::size_t kCopyBatchMax = 5'000;

enum class Phase : std::uint8_t { copying, comparing };

struct Step {
  Phase phase = Phase::copying;
  Kind kind = Kind::namespaces;
  std::uint64_t done = 0;   // records of the kind
  std::uint64_t total = 0;  // as counted at the beginning
  bool last = false;        // of this kind in this phase
};
using Watch = std::function<void(const Step&)>;

struct Report {
  bool resumed = false;     // an earlier run had begun it
  bool finished = false;    // the target may be served: it was compared and is equal, now or by an earlier run
  std::uint64_t moved = 0;  // records put by this run
  Digest source;
  Digest target;
  bool numbers_kept = false;  // ids read the same, and no number comes twice
  bool same() const { return numbers_kept && source == target; }
};

// A report whose sides differ is no error of this function: the target is left half-done, and the caller says so.
// conflict: the target holds something else.
Result<Report> copy(Source& source, Sink& sink, std::size_t batch, const Watch& watch);

}  // namespace muster::store::transfer
