#include "agents/claude/playback.h"

#include "base/json_reader.h"

namespace muster::claude {

void play(const Answer& answer, StreamSink& sink, std::size_t most) {
  const auto blocks = json::parse(answer.blocks);
  if (!blocks || !blocks->is_array()) return;
  std::size_t index = 0;
  std::size_t told = 0;
  for (const json::Tree& block : *blocks) {
    const std::string whole = json::dump(block);
    const auto tell = [&](DeltaKind kind, std::string_view text) {
      if (told++ < most) sink.delta({.kind = kind, .index = index, .text = text, .json = whole});
    };
    tell(DeltaKind::block_start, {});
    if (const std::string* const text = json::text(block, "text")) tell(DeltaKind::text, *text);
    if (const std::string* const thinking = json::text(block, "thinking")) tell(DeltaKind::thinking, *thinking);
    if (const json::Tree* const input = json::member(block, "input")) tell(DeltaKind::input_json, json::dump(*input));
    tell(DeltaKind::block_stop, {});
    ++index;
  }
}

}  // namespace muster::claude
