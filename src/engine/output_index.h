// How the output of one job is laid out in the keyspace, and what goes when there is too much of it. Pure: engine/feedback.h
// reads and writes what this says.
//
//   job:<id>:output   a text: OutputHead, what is known about the whole
//   job:<id>:chunks   a hash: blocks of chunks, in the order of their fields
//   job:<id>:outcome  a hash: what the holder of a lease said with its result, by its fence
//
// Chunks are numbered from 1 as they come, across channels. Those that are written together make a part; a part has one block for
// each of its channels, and all of them are filed under the number of its newest chunk. So whoever has read up to a number
// finds what follows behind that number, and one channel's old blocks can go without another's.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/ids.h"
#include "model/output.h"
#include "store/keys.h"

namespace muster::engine {

std::string output_head_key(JobId job);
std::string output_chunks_key(JobId job);
std::string output_outcome_key(JobId job);

// A place in something that is said again when the answer was not heard, such as a session's numbered frames. What is not behind
// the last kept place of the same stream was kept already.
struct FeedbackPlace {
  std::string stream;
  std::uint64_t number = 0;
  friend bool operator==(const FeedbackPlace&, const FeedbackPlace&) = default;
};

struct OutputHead {
  std::uint64_t last = 0;  // number of the newest chunk, kept or lost
  OutputLosses lost;
  std::string stage;
  std::string metrics;  // a JSON object; empty: none
  FeedbackPlace place;
  friend bool operator==(const OutputHead&, const OutputHead&) = default;
};

std::string encode_head(const OutputHead& head);
OutputHead decode_head(std::string_view text);  // what is not there is empty

std::string encode_outcome(const OutcomeFacts& facts);
std::optional<OutcomeFacts> decode_outcome(std::string_view text);

struct OutputBlock {
  std::uint64_t part = 0;  // number of the newest chunk that was written with it
  OutputChannel channel = OutputChannel::output;
  std::uint64_t newest = 0;  // number of its own newest chunk
  std::uint64_t chunks = 0;
  std::uint64_t bytes = 0;
  friend bool operator==(const OutputBlock&, const OutputBlock&) = default;
};

std::string field_of(const OutputBlock& block);
std::optional<OutputBlock> block_of(std::string_view field);
// Sorts behind every field of parts up to `number`, and before those of later ones.
std::string fields_behind(std::uint64_t number);

std::string encode_chunks(const std::vector<OutputChunk>& chunks);  // of one channel
// Appends those behind `after`. What cannot be read is left out.
void decode_chunks(std::string_view text, OutputChannel channel, std::uint64_t after, std::vector<OutputChunk>& out);

struct OutputBounds {
  std::size_t chunk_bytes = limits::kOutputChunkBytesMax;
  std::size_t channel_bytes = limits::kOutputChannelBytesMax;
  std::size_t bytes = limits::kOutputBytesMax;
  std::size_t chunks = limits::kOutputChunksMax;
  std::size_t blocks = limits::kOutputBlocksMax;
  std::size_t part_bytes = 256 * 1024;
};

// A chunk on its way, or the place of one that there was no room to wait for.
struct ArrivedChunk {
  OutputChunk chunk;
  std::optional<std::uint64_t> lost_bytes{};
};

class OutputIndex {
 public:
  explicit OutputIndex(OutputBounds bounds = {}) : bounds_(bounds) {}
  // What a store holds.
  OutputIndex(OutputHead head, const std::vector<std::string>& fields, OutputBounds bounds = {});

  struct Change {
    std::vector<store::KeyPair> written;  // field and block
    std::vector<std::string> removed;     // fields
  };
  // Numbers the chunks and files them; makes room by dropping the oldest blocks of the channel that holds most.
  Change append(std::vector<ArrivedChunk> chunks);

  OutputHead& head() { return head_; }
  const OutputHead& head() const { return head_; }
  std::uint64_t bytes() const { return bytes_; }

 private:
  struct Channel {
    std::deque<OutputBlock> blocks;
    std::uint64_t bytes = 0;
  };
  void lose(OutputChannel channel, const OutputLoss& loss);
  void file(std::vector<OutputChunk> part, Change& change);
  void add(const OutputBlock& block);
  std::optional<OutputChannel> too_much() const;

  OutputBounds bounds_;
  OutputHead head_;
  std::array<Channel, kOutputChannels> channels_;
  std::uint64_t bytes_ = 0;
  std::uint64_t chunks_ = 0;
  std::uint64_t blocks_ = 0;
};

// A page of what stands behind `after`, out of the fields and blocks that a scan found there.
struct OutputPage {
  std::vector<OutputChunk> chunks;  // by number
  std::uint64_t next = 0;           // read on behind this
  bool more = false;
};
struct PageAsked {
  std::uint64_t after = 0;
  std::optional<OutputChannel> channel{};
  std::size_t limit = limits::kOutputPageMax;
};
// `complete`: the scan saw all there is. REQUIRES: it saw the whole of at least one part, or all there is.
OutputPage page_of(const PageAsked& asked, const std::vector<store::KeyPair>& scanned, bool complete);

}  // namespace muster::engine
