#include "agents/claude/event_reader.h"

#include <fmt/format.h>

#include "agents/claude/limits.h"

namespace muster::claude {
namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
constexpr std::size_t kEventBytesKept = 4 * 1024;  // a buffer that grew beyond is given back: most events are small

Status too_long() { return Status::corrupt(fmt::format("an event of the stream is longer than {} bytes", kModelEventBytesMax)); }

void let_go(std::string& buffer) {
  if (buffer.capacity() > kEventBytesKept)
    buffer = std::string();
  else
    buffer.clear();
}

}  // namespace

Status EventReader::feed(std::string_view bytes, const std::function<Status(const Event&)>& take) {
  while (!bytes.empty()) {
    if (after_carriage_return_) {
      after_carriage_return_ = false;
      if (bytes.front() == '\n') {
        bytes.remove_prefix(1);
        continue;
      }
    }
    const std::size_t line_feed = bytes.find('\n');
    const std::size_t carriage_return = bytes.substr(0, line_feed).find('\r');
    const std::size_t end = carriage_return == std::string_view::npos ? line_feed : carriage_return;
    const std::string_view piece = bytes.substr(0, end);
    if (line_.size() + data_.size() + piece.size() > kModelEventBytesMax) return too_long();
    if (end == std::string_view::npos) {
      line_.append(piece);
      return Status();
    }
    after_carriage_return_ = bytes[end] == '\r';
    bytes.remove_prefix(end + 1);
    Status taken;
    if (line_.empty()) {
      taken = take_line(piece, take);
    } else {
      line_.append(piece);
      taken = take_line(line_, take);
      let_go(line_);
    }
    if (!taken.ok()) return taken;
  }
  return Status();
}

Status EventReader::take_line(std::string_view line, const std::function<Status(const Event&)>& take) {
  if (at_start_ && line.starts_with(kByteOrderMark)) line.remove_prefix(kByteOrderMark.size());
  at_start_ = false;
  if (line.empty()) return finish_event(take);
  const std::size_t colon = line.find(':');
  const std::string_view field = line.substr(0, colon);
  std::string_view value = colon == std::string_view::npos ? std::string_view() : line.substr(colon + 1);
  if (value.starts_with(' ')) value.remove_prefix(1);
  if (field == "event") {
    name_ = value;
  } else if (field == "data") {
    if (has_data_) data_ += '\n';
    data_ += value;
    has_data_ = true;
  }
  return Status();  // a comment, `id`, `retry` or a field of a day to come
}

Status EventReader::finish_event(const std::function<Status(const Event&)>& take) {
  Status taken;
  if (has_data_) taken = take({.name = name_.empty() ? std::string_view("message") : std::string_view(name_), .data = data_});
  name_.clear();
  let_go(data_);
  has_data_ = false;
  return taken;
}

}  // namespace muster::claude
