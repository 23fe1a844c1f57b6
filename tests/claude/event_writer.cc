#include "tests/claude/event_writer.h"

#include <algorithm>

#include "base/utf8.h"

namespace muster::stand_in {
namespace {

constexpr std::size_t kTokenBytes = 4;

class Writer {
 public:
  explicit Writer(const Json& rule)
      : token_bytes_(std::max<std::size_t>(rule.value("token_bytes", kTokenBytes), 1)),
        strange_(rule.value("unknown_events", false)),
        input_pieces_(rule.value("input_pieces", std::vector<std::string>())) {}

  std::vector<std::string> write(const Json& message) {
    Json head = message;
    head["content"] = Json::array();
    head["stop_reason"] = nullptr;
    head["stop_sequence"] = nullptr;
    head["usage"]["output_tokens"] = 1;
    add("message_start", {{"type", "message_start"}, {"message", head}});
    add("ping", {{"type", "ping"}});
    if (strange_) {
      events_.push_back(": a comment\n\n");
      add("moon_phase", {{"type", "moon_phase"}, {"phase", "full"}});
    }
    std::size_t index = 0;
    for (const Json& block : message.at("content")) write_block(index++, block);
    add("message_delta", {{"type", "message_delta"},
                          {"delta", {{"stop_reason", message.at("stop_reason")}, {"stop_sequence", message.at("stop_sequence")}}},
                          {"usage", {{"output_tokens", message.at("usage").at("output_tokens")}}}});
    add("message_stop", {{"type", "message_stop"}});
    return std::move(events_);
  }

 private:
  void add(const std::string& name, const Json& data) { events_.push_back(write_event(name, data)); }

  void write_block(std::size_t index, const Json& block) {
    const std::string type = block.value("type", "");
    Json start = block;
    const bool has_input = start.contains("input") && start["input"].is_object();
    if (type == "text" || type == "thinking") start[type] = "";
    if (start.contains("signature")) start["signature"] = "";
    if (start.contains("citations") && start["citations"].is_array()) start["citations"] = Json::array();
    if (has_input) start["input"] = Json::object();
    add("content_block_start", {{"type", "content_block_start"}, {"index", index}, {"content_block", start}});
    if (type == "text") write_pieces(index, "text_delta", "text", block.value("text", ""));
    if (type == "thinking") write_pieces(index, "thinking_delta", "thinking", block.value("thinking", ""));
    if (start.contains("signature")) add_delta(index, {{"type", "signature_delta"}, {"signature", block.at("signature")}});
    if (start.contains("citations") && block.at("citations").is_array())
      for (const Json& each : block.at("citations")) add_delta(index, {{"type", "citations_delta"}, {"citation", each}});
    if (has_input && !input_pieces_.empty())
      for (const std::string& each : input_pieces_) add_delta(index, {{"type", "input_json_delta"}, {"partial_json", each}});
    else if (has_input)
      write_pieces(index, "input_json_delta", "partial_json", block.at("input").dump());
    if (strange_) add_delta(index, {{"type", "moon_delta"}, {"phase", nullptr}});
    add("content_block_stop", {{"type", "content_block_stop"}, {"index", index}});
  }

  void write_pieces(std::size_t index, const char* type, const char* member, std::string_view text) {
    while (!text.empty()) {
      std::size_t end = 0;
      while (end < text.size() && end < token_bytes_) end += std::max<std::size_t>(utf8_length(text.substr(end)), 1);
      add_delta(index, {{"type", type}, {member, std::string(text.substr(0, end))}});
      text.remove_prefix(end);
    }
  }

  void add_delta(std::size_t index, const Json& delta) {
    add("content_block_delta", {{"type", "content_block_delta"}, {"index", index}, {"delta", delta}});
  }

  std::size_t token_bytes_;
  bool strange_;
  std::vector<std::string> input_pieces_;
  std::vector<std::string> events_;
};

}  // namespace

std::vector<std::string> write_events(const Json& message, const Json& rule) { return Writer(rule).write(message); }

std::string write_event(const std::string& name, const Json& data) {
  return "event: " + name + "\ndata: " + data.dump() + "\n\n";
}

}  // namespace muster::stand_in
