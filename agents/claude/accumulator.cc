#include "agents/claude/accumulator.h"

#include <fmt/format.h>

#include <algorithm>

#include "agents/claude/documents.h"
#include "agents/claude/json_text.h"
#include "agents/claude/limits.h"
#include "base/check.h"
#include "base/json_reader.h"

namespace muster::claude {
namespace {

Status broken(std::string_view what, std::string_view data) {
  return Status::corrupt(fmt::format("the stream is broken: {}: {}", what, excerpt(data)));
}

Status failure(std::string_view data) {
  const std::optional<ApiError> error = read_error(data);
  if (!error) return broken("an error without a message", data);
  return Status(code_of_error(error->type), fmt::format("{}: {}", error->type, error->message));
}

void set(std::vector<std::pair<std::string, std::string>>& members, const std::string& name, std::string value) {
  const auto at = std::find_if(members.begin(), members.end(), [&](const auto& each) { return each.first == name; });
  if (at == members.end())
    members.emplace_back(name, std::move(value));
  else
    at->second = std::move(value);
}

// An input that is no object of JSON is shown to the model in the form its API has for that.
std::string input_json(const std::string& pieces) {
  if (json::parse_object(pieces)) return pieces;
  return fmt::format(R"({{"{}":{}}})", kInvalidInputMember, json_string(pieces));
}

}  // namespace

Status Accumulator::take(const Event& event, const Tell& tell) {
  if (complete_ || event.name == "ping") return Status();
  bytes_ += event.data.size();
  if (bytes_ > kModelAnswerBytesMax) return broken(fmt::format("longer than {} bytes", kModelAnswerBytesMax), {});
  if (event.name == "error") return failure(event.data);
  if (event.name == "message_start") return start_message(event.data);
  const bool known = event.name == "content_block_delta" || event.name == "content_block_start" ||
                     event.name == "content_block_stop" || event.name == "message_delta" || event.name == "message_stop";
  if (!known) return Status();
  if (!started_) return broken(fmt::format("{} before message_start", event.name), event.data);
  if (event.name == "content_block_delta") return add_delta(event.data, tell);
  if (event.name == "content_block_start") return start_block(event.data, tell);
  if (event.name == "content_block_stop") return stop_block(event.data, tell);
  if (event.name == "message_delta") return change_message(event.data);
  complete_ = true;
  return Status();
}

Status Accumulator::start_message(std::string_view data) {
  if (started_) return broken("a second message_start", data);
  const std::optional<json::Tree> tree = json::parse_object(data);
  const json::Tree* message = tree ? json::member(*tree, "message") : nullptr;
  if (message == nullptr || !message->is_object()) return broken("message_start", data);
  if (const std::string* id = json::text(*message, "id")) answer_.id = *id;
  if (const std::string* model = json::text(*message, "model")) answer_.model = *model;
  if (const json::Tree* usage = json::member(*message, "usage")) read_usage(*usage, answer_.usage);
  started_ = true;
  return Status();
}

Status Accumulator::start_block(std::string_view data, const Tell& tell) {
  const std::optional<json::Tree> tree = json::parse_object(data);
  const auto index = tree ? json::natural(*tree, "index") : std::nullopt;
  const json::Tree* block = tree ? json::member(*tree, "content_block") : nullptr;
  const auto text = index ? text_member(data, "content_block") : std::nullopt;
  if (block == nullptr || !block->is_object() || !text) return broken("content_block_start", data);
  if (*index >= kModelBlocksMax) return broken(fmt::format("more than {} blocks", kModelBlocksMax), data);
  if (blocks_.contains(*index) || open_.contains(*index)) return broken("a block begins twice", data);
  open_[*index].start = *text;
  tell({.kind = DeltaKind::block_start, .index = *index, .json = data});
  return Status();
}

Status Accumulator::add_delta(std::string_view data, const Tell& tell) {
  const std::optional<json::Tree> tree = json::parse_object(data);
  const auto index = tree ? json::natural(*tree, "index") : std::nullopt;
  const json::Tree* delta = tree ? json::member(*tree, "delta") : nullptr;
  const std::string* type = delta == nullptr ? nullptr : json::text(*delta, "type");
  if (!index || type == nullptr) return broken("content_block_delta", data);
  const auto at = open_.find(*index);
  if (at == open_.end()) return broken("a delta of no block", data);
  Open& block = at->second;
  Delta told{.kind = DeltaKind::other, .index = *index, .json = data};
  const auto take_text = [&](DeltaKind kind, const char* member) -> const std::string* {
    const std::string* text = json::text(*delta, member);
    if (text != nullptr) told.kind = kind, told.text = *text;
    return text;
  };
  if (*type == "text_delta") {
    if (const auto* text = take_text(DeltaKind::text, "text")) text_of(block, "text") += *text;
  } else if (*type == "thinking_delta") {
    if (const auto* text = take_text(DeltaKind::thinking, "thinking")) text_of(block, "thinking") += *text;
  } else if (*type == "input_json_delta") {
    if (const auto* text = take_text(DeltaKind::input_json, "partial_json")) block.input += *text;
  } else if (*type == "signature_delta") {
    if (const auto* text = take_text(DeltaKind::signature, "signature")) text_of(block, "signature") = *text;
  } else if (*type == "citations_delta") {
    told.kind = DeltaKind::citations;
    if (const auto citation = text_member(text_member(data, "delta").value_or(""), "citation"))
      block.citations.append(block.citations.empty() ? "" : ",").append(*citation);
  } else {
    add_unknown(block, text_member(data, "delta").value_or(""));
  }
  tell(told);
  return Status();
}

Status Accumulator::stop_block(std::string_view data, const Tell& tell) {
  const std::optional<json::Tree> tree = json::parse_object(data);
  const auto index = tree ? json::natural(*tree, "index") : std::nullopt;
  const auto at = index ? open_.find(*index) : open_.end();
  if (at == open_.end()) return broken("content_block_stop", data);
  blocks_.emplace(*index, whole(std::move(at->second)));
  open_.erase(at);
  tell({.kind = DeltaKind::block_stop, .index = *index, .json = data});
  return Status();
}

Status Accumulator::change_message(std::string_view data) {
  const std::optional<json::Tree> tree = json::parse_object(data);
  if (!tree) return broken("message_delta", data);
  if (const json::Tree* delta = json::member(*tree, "delta")) {
    if (const std::string* reason = json::text(*delta, "stop_reason")) answer_.stop_reason = *reason;
    if (const std::string* sequence = json::text(*delta, "stop_sequence")) answer_.stop_sequence = *sequence;
  }
  if (const json::Tree* usage = json::member(*tree, "usage")) read_usage(*usage, answer_.usage);
  return Status();
}

Answer Accumulator::take_answer() {
  check(complete_, "an answer is taken when it is complete");
  for (auto& [index, block] : open_) blocks_.emplace(index, whole(std::move(block)));
  open_.clear();
  answer_.blocks = "[";
  for (auto& [index, block] : blocks_) {
    if (answer_.blocks.size() > 1) answer_.blocks += ',';
    answer_.blocks += block;
  }
  answer_.blocks += ']';
  blocks_.clear();
  return std::move(answer_);
}

// What has been said of a member, beginning with what the block's start says.
std::string& Accumulator::text_of(Open& block, const std::string& member) {
  for (auto& [name, text] : block.texts)
    if (name == member) return text;
  const std::optional<json::Tree> start = json::parse(block.start);
  const std::string* begun = start ? json::text(*start, member.c_str()) : nullptr;
  block.texts.emplace_back(member, begun == nullptr ? std::string() : *begun);
  return block.texts.back().second;
}

void Accumulator::add_unknown(Open& block, std::string_view delta) {
  for (const TextMember& member : text_members(delta)) {
    if (member.name == "type" || member.value == "null") continue;
    const std::string name(member.name);
    const std::optional<json::Tree> value = json::parse(member.value);
    if (value && value->is_string())
      text_of(block, name) += value->get_ref<const std::string&>();
    else
      set(block.members, name, std::string(member.value));
  }
}

std::string Accumulator::whole(Open block) {
  for (const auto& [name, text] : block.texts) set(block.members, name, json_string(text));
  if (!block.input.empty()) set(block.members, "input", input_json(block.input));
  if (!block.citations.empty()) {
    const auto start = json::parse(block.start);
    const json::Tree* begun = start ? json::array(*start, "citations") : nullptr;
    std::string all = "[";
    if (begun != nullptr && !begun->empty()) {
      const std::string_view before = *text_member(block.start, "citations");
      all.append(before.substr(1, before.size() - 2)).append(",");
    }
    set(block.members, "citations", all + block.citations + "]");
  }
  if (block.members.empty()) return std::move(block.start);
  return with_members(block.start, block.members);
}

}  // namespace muster::claude
