// The two ends of a copy. Each store has both; src/store/transfer/copy.h joins them.
//
// Opening an end is the store's own business: it refuses a source or target that is in use, or of a version it does not know.
// Everything here belongs to one thread.
#pragma once

#include "base/status.h"
#include "store/transfer/bookmark.h"
#include "store/transfer/record.h"

namespace muster::store::transfer {

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

}  // namespace muster::store::transfer
