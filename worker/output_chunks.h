// What a tool writes, cut into the chunks of feedback: text where it is text, bytes where it is not, and no character torn apart
// by where a read ended. One per output stream; one thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "sdk/cpp/ws/task.h"

namespace muster::worker {

class OutputChunks {
 public:
  explicit OutputChunks(sdk::ws::OutputChannel channel) : channel_(channel) {}

  // The chunk that is complete with these bytes; nullopt: only the beginning of a character is there.
  std::optional<sdk::ws::Chunk> add(std::string_view bytes);
  // What is left, marked as the last of the channel; nullopt: nothing was ever written.
  std::optional<sdk::ws::Chunk> finish();

 private:
  sdk::ws::Chunk chunk(std::string data, bool is_binary);

  sdk::ws::OutputChannel channel_;
  std::string rest_;  // the beginning of a character
  std::uint64_t next_ = 0;
};

}  // namespace muster::worker
