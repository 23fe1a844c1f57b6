// A stream of the model's API, cut into pieces: the first byte says how large they are. How a stream is cut must not change what
// is read from it; an answer that is whole is JSON, block by block, whatever the events said.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "agents/claude/accumulator.h"
#include "agents/claude/event_reader.h"
#include "base/check.h"
#include "base/json_reader.h"

using namespace muster;
using namespace muster::claude;

namespace {

struct Heard {
  Code code = Code::ok;
  std::string message;
  std::string told;
  std::string blocks;
  TokenUsage usage;
  friend bool operator==(const Heard&, const Heard&) = default;
};

Heard hear(std::string_view bytes, std::size_t piece) {
  EventReader reader;
  Accumulator accumulator;
  Heard heard;
  const Accumulator::Tell tell = [&](const Delta& delta) {
    heard.told.append(1, static_cast<char>('0' + static_cast<int>(delta.kind))).append(delta.text).append("\n");
  };
  for (; !bytes.empty(); bytes.remove_prefix(std::min(piece, bytes.size()))) {
    const Status fed = reader.feed(bytes.substr(0, piece), [&](const Event& event) { return accumulator.take(event, tell); });
    if (fed.ok()) continue;
    check(!fed.message().empty() && fed.message().size() < 2'048, "a failure says why, in a line");
    heard.code = fed.code();
    heard.message = fed.message();
    return heard;
  }
  heard.usage = accumulator.usage();
  if (accumulator.complete()) heard.blocks = accumulator.take_answer().blocks;
  return heard;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 1) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data + 1), size - 1);
  const Heard whole = hear(bytes, std::max<std::size_t>(bytes.size(), 1));
  check(whole == hear(bytes, 1 + data[0] % 31), "how a stream is cut does not change what is read");
  if (whole.blocks.empty()) return 0;
  const json::Tree blocks = json::Tree::parse(whole.blocks, nullptr, false);
  check(blocks.is_array(), "an answer is an array");
  check(std::all_of(blocks.begin(), blocks.end(), [](const json::Tree& block) { return block.is_object(); }), "of objects");
  return 0;
}
