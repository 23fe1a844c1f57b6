// A batch on its way through a store, slice by slice: while one is done the others that wait are served, and a read that takes
// long is run where nobody waits for it.
//
//   SET, SET, GET | SMEMBERS of a large set | SET, …
//    first slice       run_long                 next slice
//
// Batches of clients' keys are divisible unless they are to be whole: they are pipelines, whose commands nobody asked to be one.
// The fronts' own are not.
// Clients' commands after one whose answer brings the bytes of all answers above kBatchAnswerBytesMax are not run and have no
// answer: the caller asks again.
// A store derives from it and says how a part is run. Lives until its reply is called; one part is under way at a time.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "base/reply.h"
#include "store/keyspace/keyspace.h"

namespace muster::store::keyspace {

// What came of one part.
struct Part {
  std::vector<KeyAnswer> answers;  // of the commands it began with; perhaps not of all
  bool long_read = false;          // as in Ran
};

class SlicedBatch : public std::enable_shared_from_this<SlicedBatch> {
 public:
  SlicedBatch(KeyBatch batch, Reply<std::vector<KeyAnswer>> reply) : batch_(std::move(batch)), reply_(std::move(reply)) {}
  virtual ~SlicedBatch() = default;

  void start() { next_slice(); }

 protected:
  const KeyBatch& batch() const { return batch_; }
  // The commands that are not answered yet.
  std::span<const KeyCommand> rest() const { return std::span(batch_.commands).subspan(answers_.size()); }
  // The same up to the first that writes. REQUIRES: the first of them reads.
  std::span<const KeyCommand> reads() const;
  bool writes() const;
  // How the rest is to be run as a slice, and its reads apart from the writes.
  Run slice() const;
  Run long_reads() const {
    return {.commands = reads(), .divisible = is_divisible(), .whole = batch_.whole, .unchanged = batch_.unchanged};
  }

  virtual void run_slice(Reply<Part> done) = 0;
  virtual void run_long(Reply<Part> done) = 0;

 private:
  bool is_divisible() const { return batch_.space == KeySpace::clients && !batch_.whole; }
  void next_slice();
  void next_long();
  void take(Result<Part> part);

  const KeyBatch batch_;
  Reply<std::vector<KeyAnswer>> reply_;
  std::vector<KeyAnswer> answers_;
  std::size_t answer_bytes_ = 0;
  bool wrote_ = false;  // slices that may have changed something are done
};

}  // namespace muster::store::keyspace
