// The events of one stream, put together into the answer: every block as it would have come in one piece. Pure.
//
// Blocks of kinds that are not known here pass unharmed: what their start says is kept as text, and a delta's texts are appended
// to the members of the same names.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "agents/claude/api.h"
#include "agents/claude/event_reader.h"
#include "base/status.h"

namespace muster::claude {

class Accumulator {
 public:
  using Tell = std::function<void(const Delta&)>;

  // `tell` hears what listeners of the stream want to know, with views that end with the call. Not ok: the stream is of no use
  // any more, by an `error` event (its code and message) or because it is not what the API promises (`corrupt`).
  Status take(const Event& event, const Tell& tell);

  bool started() const { return started_; }
  bool complete() const { return complete_; }  // message_stop has come
  const TokenUsage& usage() const { return answer_.usage; }
  // REQUIRES: complete(), once.
  Answer take_answer();

 private:
  // A block that has begun and not ended.
  struct Open {
    std::string start;                                         // the block as content_block_start has it
    std::vector<std::pair<std::string, std::string>> texts;    // member → all of its text
    std::vector<std::pair<std::string, std::string>> members;  // member → its JSON
    std::string input;                                         // pieces of JSON
    std::string citations;                                     // JSON, separated by commas
  };

  Status start_message(std::string_view data);
  Status start_block(std::string_view data, const Tell& tell);
  Status add_delta(std::string_view data, const Tell& tell);
  Status stop_block(std::string_view data, const Tell& tell);
  Status change_message(std::string_view data);
  static std::string& text_of(Open& block, const std::string& member);
  static void add_unknown(Open& block, std::string_view delta);
  static std::string whole(Open block);

  Answer answer_;
  std::map<std::size_t, Open> open_;
  std::map<std::size_t, std::string> blocks_;
  std::size_t bytes_ = 0;
  bool started_ = false;
  bool complete_ = false;
};

}  // namespace muster::claude
