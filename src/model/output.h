// What a job puts out while it runs, beside its result: chunks on channels, in the order in which they came.
//
// Plain values and their bounds; how they are kept is engine/output_index.h, who may add to them engine/feedback.h.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "model/ids.h"

namespace muster {

// "stdout", "stderr", "log", "llm", "metric", "custom".
enum class OutputChannel : std::uint8_t { output, errors, log, llm, metric, custom };
inline constexpr std::size_t kOutputChannels = 6;

std::string_view to_string(OutputChannel channel);
std::optional<OutputChannel> parse_output_channel(std::string_view name);

namespace limits {

inline constexpr std::size_t kOutputChunkBytesMax = 1024 * 1024;  // its data, MIME type and metadata
inline constexpr std::size_t kOutputChannelBytesMax = 4 * 1024 * 1024;
inline constexpr std::size_t kOutputBytesMax = 8 * 1024 * 1024;  // of one job
inline constexpr std::size_t kOutputChunksMax = 50'000;          // of one job
inline constexpr std::size_t kOutputBlocksMax = 5'000;           // writes of one job and channel that are told apart
inline constexpr std::size_t kFeedbackChunksMax = 10'000;        // of one request
inline constexpr std::size_t kStageBytesMax = 128;
inline constexpr std::size_t kMetricsBytesMax = 16 * 1024;
inline constexpr std::size_t kOutcomeBytesMax = 256 * 1024;  // metadata and artifacts of one result
inline constexpr std::size_t kOutputPageMax = 1'000;         // chunks of one answer
inline constexpr std::size_t kOutputPageBytesMax = 2 * 1024 * 1024;

static_assert(kOutputChunkBytesMax < kOutputChannelBytesMax && kOutputChannelBytesMax <= kOutputBytesMax);

}  // namespace limits

struct OutputChunk {
  std::uint64_t number = 0;  // in its job, from 1; given when it is kept
  OutputChannel channel = OutputChannel::output;
  std::string data;
  bool text = true;                    // false: bytes, shown in base64
  std::optional<std::uint64_t> index;  // as the worker counts them
  std::string mime_type;               // empty: plain text
  std::string metadata;                // a JSON object; empty: none
  bool terminal = false;               // the last of its channel, says the worker
  Fence fence{};                       // of the lease it came under: tells attempts apart
  Instant at{};

  std::size_t bytes() const { return data.size() + mime_type.size() + metadata.size(); }
  friend bool operator==(const OutputChunk&, const OutputChunk&) = default;
};

// What of a channel is gone: the oldest of what did not fit, and what was too long.
struct OutputLoss {
  std::uint64_t chunks = 0;
  std::uint64_t bytes = 0;
  std::uint64_t until = 0;  // the number of the newest of them
  friend bool operator==(const OutputLoss&, const OutputLoss&) = default;
};

using OutputLosses = std::array<OutputLoss, kOutputChannels>;  // by channel

// What a worker says of a result beside the result itself.
struct OutcomeFacts {
  std::string status;     // in the worker's words
  std::string metadata;   // a JSON object; empty: none
  std::string artifacts;  // a JSON array of objects; empty: none
  std::optional<Duration> duration;
  friend bool operator==(const OutcomeFacts&, const OutcomeFacts&) = default;
};

}  // namespace muster
