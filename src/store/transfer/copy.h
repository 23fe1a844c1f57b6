// Copying one store into another: everything in batches, then both are read again and compared, then the target may be served.
//
//   begin ─► put … put ─► compare ─► finish
//
// Killed anywhere, it is started again with the same words and goes on at the target's bookmark. Nothing is ever written to the
// source. A target that does not compare equal is not finished, so nobody can serve it.
#pragma once

#include <cstdint>
#include <functional>

#include "base/status.h"
#include "store/transfer/digest.h"
#include "store/transfer/ends.h"

namespace muster::store::transfer {

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
