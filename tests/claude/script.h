// What the stand-in for the model's API answers: rules, tried in order, of which the first that matches speaks.
//
// A script is a JSON object. Everything is optional.
//
//   {
//     "rules": [ RULE… ],
//     "batches": {
//       "polls_until_ended": 1,            // GETs of a batch until it has ended
//       "drop_results_after_lines": 2      // the first download of results breaks behind so many lines
//     },
//     "tokens": 42                         // answer of count_tokens; otherwise a quarter of the request's bytes
//   }
//
// A RULE answers messages, whether they come as a stream or in a batch:
//
//   {
//     "match": {
//       "model": "claude-x",               // equal
//       "system": "…",                     // contained in the system prompt
//       "last_user": "…",                  // contained in the texts of the last message
//       "tool_result": "add",              // the last message has a result of that tool; "*": of any
//       "has_tools": true,                 // tools are offered, or not
//       "custom_id": "…",                  // of the request in its batch
//       "endpoint": "messages"             // or "batch", "create_batch", "count_tokens"; a rule without it is for the first two
//     },
//     "nth": 1,                            // only the n-th request that matches
//     "times": 2,                          // only the first so many
//
//     "text": "Hello {{last_user}}, {{tool_results}}",   // one text block ({{now_us}}: when); or all as they are:
//     "blocks": [ {"type":"text","text":"…"}, {"type":"tool_use","id":"t1","name":"add","input":{"a":1}}, … ],
//     "call_tools": 2,                     // tool_use blocks for the first so many tools that are offered, with made-up inputs
//     "stop_reason": "end_turn",           // default: "tool_use" when a tool is called
//     "stop_sequence": "…",
//     "usage": {"input_tokens":10,"output_tokens":5,"cache_creation_input_tokens":0,"cache_read_input_tokens":0},
//     "repeat": 1000,                      // the text so many times over
//     "token_bytes": 4,                    // bytes of a delta
//     "delay_ms": 0,                       // before the first byte
//     "token_ms": 0,                       // before each event; 0: the whole stream at once
//     "piece_bytes": 0,                    // sends so many bytes at a time, whatever an event's bounds are
//     "input_pieces": ["{\"a\":", "1"],    // the deltas of a tool's input, instead of the input itself
//     "unknown_events": true,              // pings, comments and events and deltas of names that do not exist, in between
//
//     "failure": one of
//       {"status": 429, "type": "rate_limit_error", "message": "…", "headers": {"retry-after": "1"}}
//       {"html": true, "status": 200}
//       {"drop": 0}                        // closes the connection behind so many events; 0: before any byte of the answer
//       {"truncate": 3}                    // ends the answer well behind so many events
//       {"silence": 3}                     // says nothing more behind so many events
//       {"error_event": "overloaded_error", "message": "…", "after": 3}
//     "batch_result": "errored"            // or "canceled", "expired", "missing", "unreadable": the line of this request
//     "nested": false                      // the error of that line has its message un-nested
//   }
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace muster::stand_in {

using Json = nlohmann::ordered_json;  // members keep their order, so that an answer can be compared with its script
using Milliseconds = std::chrono::milliseconds;

enum class Ending : std::uint8_t { whole, dropped, truncated, silent };

// One answer, ready to be sent.
struct Plan {
  int status = 200;
  std::vector<std::pair<std::string, std::string>> headers;
  std::string content_type = "application/json";
  std::string body;                                        // of an answer that is no stream
  std::shared_ptr<const std::vector<std::string>> events;  // of one that is
  std::size_t events_max = SIZE_MAX;                       // sent before the ending
  Ending ending = Ending::whole;
  Milliseconds delay{0};
  Milliseconds between{0};
  std::size_t piece_bytes = 0;
};

class Script {
 public:
  // Why the text is no script. Otherwise nothing.
  std::optional<std::string> load(std::string_view text);
  // What a newcomer's first agent meets: it calls the first two tools that it has, then it answers.
  static std::string_view demo();

  // POST /v1/messages.
  Plan answer_message(const Json& request);
  // POST /v1/messages/count_tokens.
  Plan count_tokens(const Json& request, std::size_t request_bytes);
  // A failure that is scripted for the creation of a batch.
  std::optional<Plan> refuse_batch(const Json& request);
  // The line of one request of a batch, without its line feed. Empty: there is none.
  std::string batch_line(const std::string& custom_id, const Json& params);

  std::uint32_t polls_until_ended() const { return polls_until_ended_; }
  // How many lines the first download of results brings. Once.
  std::optional<std::size_t> take_results_drop();

 private:
  struct Rule {
    Json spec;
    std::uint64_t matched = 0;
    std::shared_ptr<const std::vector<std::string>> events;  // when they are the same for every request
  };

  Rule* find(const Json& request, std::string_view endpoint, std::string_view custom_id);
  Json message(const Rule& rule, const Json& request);

  std::vector<Rule> rules_;
  std::uint32_t polls_until_ended_ = 1;
  std::optional<std::size_t> results_drop_;
  std::optional<std::uint64_t> tokens_;
  std::uint64_t messages_ = 0;
};

Plan error_plan(int status, const std::string& type, const std::string& message);

}  // namespace muster::stand_in
