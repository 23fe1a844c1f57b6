// A stream of bytes as RESP, cut into pieces: the first byte says how large they are, the second how small the bounds. How a
// stream is cut must not change what is read from it, and nothing that is read passes a bound.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/check.h"
#include "fronts/resp/wire/parser.h"

using namespace muster;
using resp::wire::Parser;

namespace {

constexpr std::size_t kDepthMax = 7;

// Everything that was read, as text that can be compared.
std::vector<std::string> read(std::string_view bytes, std::size_t piece, resp::wire::Bounds bounds) {
  Parser parser(bounds, kDepthMax);
  std::vector<std::string> out;
  for (std::size_t from = 0; from < bytes.size(); from += piece) {
    std::string_view part = bytes.substr(from, piece);
    while (!part.empty()) {
      const Parser::Step step = parser.feed(part);
      check(step.used > 0 && step.used <= part.size(), "a parser that is fed moves on");
      part.remove_prefix(step.used);
      if (step.outcome == Parser::Outcome::command) {
        const resp::wire::Words words = parser.take();
        check(!words.words.empty() && words.words.size() <= bounds.elements_max, "a command has words, and not too many");
        std::size_t total = 0;
        for (const std::string& word : words.words) total += word.size();
        check(total <= bounds.message_bytes_max, "a command fits its bound");
        std::string text = "command " + std::to_string(words.not_bulk);
        for (const std::string& word : words.words) text += " [" + word + "]";
        out.push_back(std::move(text));
      } else if (step.outcome == Parser::Outcome::refused) {
        out.push_back("refused " + parser.refusal().text);
        if (parser.refusal().close) return out;
      }
    }
  }
  return out;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 3) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data + 2), size - 2);
  const std::size_t scale = 1 + data[1];
  const resp::wire::Bounds bounds{
      .message_bytes_max = 64 * scale, .value_bytes_max = 32 * scale, .elements_max = 4 * scale, .inline_bytes_max = 16 * scale};
  check(read(bytes, bytes.size(), bounds) == read(bytes, 1 + data[0] % 17, bounds),
        "how a stream is cut does not change what is read");
  return 0;
}
