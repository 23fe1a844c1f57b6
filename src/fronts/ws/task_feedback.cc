#include "fronts/ws/task_feedback.h"

#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include "base/base64.h"
#include "base/json_text.h"
#include "base/utf8.h"
#include "fronts/ws/member_text.h"
#include "model/limits.h"

namespace muster::ws {
namespace {

std::string object_of_payload(const json::Tree& payload, const char* name) {
  const json::Tree* found = json::member(payload, name);
  return found != nullptr && found->is_object() && !found->empty() ? json::dump(*found) : std::string();
}

OutputChunk read_chunk(const json::Tree& said) {
  OutputChunk chunk;
  chunk.channel = parse_output_channel(text_of(said, "channel")).value_or(OutputChannel::custom);
  chunk.index = json::natural(said, "index");
  chunk.mime_type = cut_text(text_of(said, "mime_type"), limits::kNameBytesMax);
  chunk.metadata = object_of_payload(said, "metadata");
  if (const json::Tree* metadata = json::member(said, "metadata"))
    chunk.terminal = json::flag(*metadata, "terminal").value_or(false);
  if (const std::string* coded = json::text(said, "data_base64")) {
    auto bytes = from_base64(*coded);
    chunk.text = !bytes;  // what only says that it is base64 is a text like any other
    chunk.data = bytes ? *std::move(bytes) : *coded;
  } else {
    chunk.data = text_of(said, "text");
  }
  return chunk;
}

// A lone summary is a result too.
std::string results_of(const json::Tree& payload) {
  const json::Tree* metadata = json::member(payload, "metadata");
  if (metadata == nullptr) return {};
  std::string results = object_of_payload(*metadata, "results");
  const json::Tree* summary = json::member(*metadata, "summary");
  if (results.empty() && summary != nullptr && !summary->is_null()) results = json::dump(json::Tree{{"summary", *summary}});
  return results;
}

// Workers repeat in each result how they were told to run the task.
bool is_repeated(std::string_view name) {
  constexpr std::array<std::string_view, 7> kRepeated{"concurrency_key", "constraints",   "host_node_id", "middleware_chain",
                                                      "chain_index",     "resource_refs", "affinity"};
  return std::find(kRepeated.begin(), kRepeated.end(), name) != kRepeated.end();
}

bool tells_more_than_its_dispatch(const json::Tree* metadata) {
  if (metadata == nullptr || !metadata->is_object()) return false;
  const auto& members = metadata->get_ref<const json::Tree::object_t&>();
  return std::any_of(members.begin(), members.end(), [](const auto& member) { return !is_repeated(member.first); });
}

bool tells_more_than_its_dispatch(std::string_view metadata) {
  json::MemberScan scan(metadata);
  while (const auto member = scan.next())
    if (!is_repeated(member->name.substr(1, member->name.size() - 2))) return true;
  return false;
}

// Events are lines. What has breaks has them as blanks, for JSON has no others.
std::string on_one_line(std::string_view json) {
  std::string out(json);
  std::replace_if(
      out.begin(), out.end(), [](char c) { return c == '\n' || c == '\r'; }, ' ');
  return out;
}

}  // namespace

std::string cut_text(std::string text, std::size_t bytes_max) {
  if (text.size() <= bytes_max) return text;
  text.resize(bytes_max);
  while (!is_utf8(text)) text.pop_back();
  return text;
}

FeedbackSaid read_feedback(const json::Tree& payload) {
  FeedbackSaid out;
  command::JobFeedbackRequest& report = out.report;
  report.fraction = json::get<double>(payload, "progress");
  report.stage = cut_text(text_of(payload, "stage"), limits::kStageBytesMax);
  const std::string message = text_of(payload, "message");
  if (!message.empty())
    report.message = cut_text(message, limits::kErrorBytesMax);
  else if (!report.stage.empty())
    report.message = report.stage;
  report.metrics = object_of_payload(payload, "metrics");
  if (report.metrics.size() > limits::kMetricsBytesMax) report.metrics.clear();
  report.results = results_of(payload);
  if (report.results.size() > limits::kPartialBytesMax) report.results.clear();
  if (const json::Tree* chunks = json::array(payload, "chunks")) {
    report.chunks.reserve(std::min(chunks->size(), limits::kFeedbackChunksMax));
    for (const json::Tree& chunk : *chunks)
      if (report.chunks.size() < limits::kFeedbackChunksMax) report.chunks.push_back(read_chunk(chunk));
  }
  return out;
}

ResultSaid read_result(const session::Payload& payload) {
  ResultSaid out;
  json::MemberScan scan(payload.text());
  while (const auto member = scan.next()) {
    const std::string_view name = member->name.substr(1, member->name.size() - 2);
    // A name in another spelling: written anew, all of them are as the schema has them.
    if (!json::is_plain(name)) return read_result(session::Payload(json::Tree(payload.tree())));
    const std::string_view value = member->value;
    if (name == "run_id") out.run = json::text_value(value).value_or("");
    if (name == "task_id") out.task = json::text_value(value).value_or("");
    if (name == "status") out.status = json::text_value(value).value_or("");
    if (name == "result") out.content = on_one_line(value);
    if (name == "artifacts") out.artifacts = value != "null" && value != "[]";
    if (name == "metadata") out.facts = tells_more_than_its_dispatch(value);
  }
  out.facts = out.facts || out.artifacts;
  return out;
}

std::optional<OutcomeFacts> outcome_facts(const json::Tree& payload) {
  const json::Tree* artifacts = json::array(payload, "artifacts");
  const bool made = artifacts != nullptr && !artifacts->empty();
  // Keeping it is a write: what every result says anyway is worth none.
  if (!made && !tells_more_than_its_dispatch(json::member(payload, "metadata"))) return std::nullopt;
  OutcomeFacts facts{.status = text_of(payload, "status"),
                     .metadata = object_of_payload(payload, "metadata"),
                     .artifacts = made ? json::dump(*artifacts) : std::string(),
                     .duration = std::nullopt};
  if (const auto ms = json::integer(payload, "duration_ms")) facts.duration = Duration(*ms);
  return facts;
}

std::vector<Package> package_changes(const std::vector<Package>& before, const std::vector<Package>& after) {
  std::map<std::pair<std::string, std::string>, std::string> known;
  for (const Package& package : before) known[{package.name, package.version}] = package.status;
  std::vector<Package> out;
  for (const Package& package : after) {
    const auto found = known.find({package.name, package.version});
    if (found == known.end() || found->second != package.status) out.push_back(package);
    if (found != known.end()) known.erase(found);
  }
  for (const auto& [name, status] : known) out.push_back({name.first, name.second, "removed"});
  return out;
}

}  // namespace muster::ws
