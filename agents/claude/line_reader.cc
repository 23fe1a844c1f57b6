#include "agents/claude/line_reader.h"

#include <fmt/format.h>

#include "agents/claude/limits.h"
#include "base/ascii.h"

namespace muster::claude {
namespace {

constexpr std::size_t kLineBytesKept = 64 * 1024;

void hand_over(std::string_view line, const std::function<void(std::string_view)>& take) {
  line = trimmed(line, " \t\r");
  if (!line.empty()) take(line);
}

}  // namespace

Status LineReader::feed(std::string_view bytes, const std::function<void(std::string_view)>& take) {
  while (!bytes.empty()) {
    const std::size_t end = bytes.find('\n');
    const std::string_view piece = bytes.substr(0, end);
    if (line_.size() + piece.size() > kModelResultLineBytesMax)
      return Status::corrupt(fmt::format("a line of the results is longer than {} bytes", kModelResultLineBytesMax));
    if (end == std::string_view::npos) {
      line_.append(piece);
      return Status();
    }
    bytes.remove_prefix(end + 1);
    if (line_.empty()) {
      hand_over(piece, take);
      continue;
    }
    line_.append(piece);
    hand_over(line_, take);
    if (line_.capacity() > kLineBytesKept)
      line_ = std::string();
    else
      line_.clear();
  }
  return Status();
}

void LineReader::finish(const std::function<void(std::string_view)>& take) {
  hand_over(line_, take);
  line_ = std::string();
}

}  // namespace muster::claude
