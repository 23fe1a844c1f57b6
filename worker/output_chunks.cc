#include "worker/output_chunks.h"

#include <utility>

#include "base/utf8.h"

namespace muster::worker {

sdk::ws::Chunk OutputChunks::chunk(std::string data, bool is_binary) {
  sdk::ws::Chunk out;
  out.channel = channel_;
  out.data = std::move(data);
  out.is_binary = is_binary;
  if (is_binary) out.mime_type = "application/octet-stream";
  out.index = next_++;
  return out;
}

std::optional<sdk::ws::Chunk> OutputChunks::add(std::string_view bytes) {
  constexpr std::size_t kCharacterRestMax = 3;  // of a character of four bytes
  std::string text = std::exchange(rest_, {});
  text += bytes;
  for (std::size_t left_out = 0; left_out <= kCharacterRestMax && left_out <= text.size(); ++left_out) {
    const std::size_t end = text.size() - left_out;
    if (!is_utf8(std::string_view(text).substr(0, end))) continue;
    rest_ = text.substr(end);
    text.resize(end);
    if (text.empty()) return std::nullopt;
    return chunk(std::move(text), false);
  }
  return chunk(std::move(text), true);
}

std::optional<sdk::ws::Chunk> OutputChunks::finish() {
  if (next_ == 0 && rest_.empty()) return std::nullopt;
  sdk::ws::Chunk last = chunk(rest_, !rest_.empty());
  last.metadata = {{"terminal", true}};
  rest_.clear();
  return last;
}

}  // namespace muster::worker
