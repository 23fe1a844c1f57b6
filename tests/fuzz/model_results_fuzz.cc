// Results of a batch of the model's API, cut into pieces, and the API's other documents: nothing crashes, how the text is cut
// does not change what is read, and a message that is handed on is JSON.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "agents/claude/documents.h"
#include "agents/claude/json_text.h"
#include "agents/claude/line_reader.h"
#include "agents/claude/retry.h"
#include "base/check.h"
#include "base/utf8.h"

using namespace muster;
using namespace muster::claude;

namespace {

std::vector<std::string> lines_of(std::string_view bytes, std::size_t piece) {
  LineReader reader;
  std::vector<std::string> lines;
  const auto take = [&](std::string_view line) { lines.emplace_back(line); };
  for (; !bytes.empty(); bytes.remove_prefix(std::min(piece, bytes.size())))
    check(reader.feed(bytes.substr(0, piece), take).ok(), "short lines are taken");
  reader.finish(take);
  return lines;
}

void look_at(const std::string& line) {
  static_cast<void>(text_members(line));  // of anything, JSON or not
  const std::string shown = excerpt(line);
  check(is_utf8(shown) && std::all_of(shown.begin(), shown.end(), [](char c) { return c < 0 || (c >= 0x20 && c != 0x7F); }),
        "an excerpt is harmless");
  const Result<BatchLine> read = read_batch_line(line);
  if (read.ok() && read->type == BatchLineType::succeeded)
    check(json::Tree::parse(read->answer.blocks, nullptr, false).is_array(), "blocks are an array");
  if (read.ok() && read->type == BatchLineType::errored) check(read->error_message.size() < 2'048, "a message fits a line");
  static_cast<void>(read_batch(line).ok());
  static_cast<void>(read_token_count(line).ok());
  static_cast<void>(read_error(line));
  RetryHints hints;
  note_retry_header("retry-after", line, Instant(std::chrono::seconds(1'700'000'000)), hints);
  note_retry_header("retry-after-ms", line, Instant(), hints);
  check(!hints.after || *hints.after >= Duration(0), "nobody waits backwards");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 1) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data + 1), size - 1);
  const std::vector<std::string> lines = lines_of(bytes, std::max<std::size_t>(bytes.size(), 1));
  check(lines == lines_of(bytes, 1 + data[0] % 31), "how a text is cut does not change its lines");
  for (const std::string& line : lines) look_at(line);
  return 0;
}
