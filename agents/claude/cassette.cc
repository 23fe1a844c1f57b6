#include "agents/claude/cassette.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "agents/claude/documents.h"
#include "agents/claude/json_text.h"

namespace muster::claude {
namespace {

using json::Tree;

// The API's word for a failure; documents.h reads it back.
std::string_view error_type_of(Code code) {
  switch (code) {
    case Code::exhausted: return "overloaded_error";
    case Code::unauthenticated: return "authentication_error";
    case Code::permission_denied: return "permission_error";
    case Code::not_found: return "not_found_error";
    case Code::invalid_argument: return "invalid_request_error";
    default: return "api_error";
  }
}

std::string errored(std::string_view type, std::string_view message) {
  return json::dump({{"type", "errored"}, {"error", {{"type", type}, {"message", message}}}});
}

// The blocks are put in as the text they came in.
std::string succeeded(const Answer& answer) {
  const std::string usage = json::dump({{"input_tokens", answer.usage.input},
                                        {"output_tokens", answer.usage.output},
                                        {"cache_creation_input_tokens", answer.usage.cache_creation},
                                        {"cache_read_input_tokens", answer.usage.cache_read}});
  return fmt::format(
      R"({{"type":"succeeded","message":{{"id":{},"model":{},"content":{},"stop_reason":{},"stop_sequence":{},"usage":{}}}}})",
      json_string(answer.id), json_string(answer.model), answer.blocks, json_string(answer.stop_reason),
      json_string(answer.stop_sequence), usage);
}

std::string result_of(const BatchLine& line) {
  switch (line.type) {
    case BatchLineType::succeeded: return succeeded(line.answer);
    case BatchLineType::errored: return errored(line.error_type, line.error_message);
    case BatchLineType::canceled: return R"({"type":"canceled"})";
    case BatchLineType::expired: return R"({"type":"expired"})";
  }
  return "{}";
}

// Whether `request` has every member of `wanted`, with the same value.
bool has_all(const Tree& request, const Tree& wanted) {
  return std::all_of(wanted.items().begin(), wanted.items().end(), [&request](const auto& member) {
    const auto found = request.find(member.key());
    return found != request.end() && *found == member.value();
  });
}

}  // namespace

std::string cassette_exchange(const std::string& params, const Result<Answer>& answer) {
  const std::string result = answer.ok() ? succeeded(*answer) : errored(error_type_of(answer.code()), answer.status().message());
  return fmt::format("{{\"request\":{},\"result\":{}}}\n", params, result);
}

std::string cassette_request(const BatchRequest& request) {
  return fmt::format("{{\"custom_id\":{},\"request\":{}}}\n", json_string(request.custom_id), request.params);
}

std::string cassette_result(const BatchLine& line) {
  return fmt::format("{{\"custom_id\":{},\"result\":{}}}\n", json_string(line.custom_id), result_of(line));
}

bool is_cut_line(std::string_view last) {
  const auto begins = [last](std::string_view as) { return last.substr(0, as.size()) == as.substr(0, last.size()); };
  return !last.empty() && (begins(R"({"request":)") || begins(R"({"custom_id":)")) && !json::parse_object(last);
}

Result<Cassette> Cassette::parse(std::string_view text) {
  Cassette cassette;
  std::map<std::string, Tree> in_batches;  // requests by custom_id
  std::size_t number = 0;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    ++number;
    if (line.find_first_not_of(" \t\r") == std::string_view::npos) continue;
    const auto wrong = [number](std::string_view what) {
      return Status::invalid_argument(fmt::format("line {} of the cassette {}", number, what));
    };
    auto tree = json::parse_object(line);
    if (!tree && end == std::string_view::npos && is_cut_line(line)) break;
    if (!tree) return wrong("is no JSON object");
    const std::string* const id = json::text(*tree, "custom_id");
    const bool has_result = json::member(*tree, "result") != nullptr;
    const Tree* request = json::member(*tree, "request");
    if (request != nullptr && !request->is_object()) return wrong("has a request that is no object");
    if (!has_result) {
      if (id == nullptr || request == nullptr) return wrong("has no result");
      in_batches.insert_or_assign(*id, *request);
      continue;
    }
    if (request == nullptr) {
      const auto known = id == nullptr ? in_batches.end() : in_batches.find(*id);
      if (known == in_batches.end()) {
        if (id == nullptr) return wrong("has no request");
        continue;  // results that were read twice
      }
      cassette.exchanges_.push_back({.request = std::move(known->second), .result = {}});
      in_batches.erase(known);
    } else {
      cassette.exchanges_.push_back({.request = *request, .result = {}});
    }
    auto result = read_batch_line(id == nullptr ? with_members(line, {{"custom_id", R"("")"}}) : std::string(line));
    if (!result.ok()) return wrong(fmt::format("has a result that cannot be read: {}", result.status().message()));
    cassette.exchanges_.back().result = *std::move(result);
  }
  return cassette;
}

Result<BatchLine> Cassette::next(const std::string& params) {
  const auto request = json::parse_object(params);
  if (!request) return Status::invalid_argument("the params of a message are a JSON object");
  Exchange* best = nullptr;
  for (Exchange& exchange : exchanges_) {
    if (!has_all(*request, exchange.request)) continue;
    // Behind one that was played the next of its kind is better, whether or not that was.
    const bool better = best == nullptr || exchange.request.size() > best->request.size() ||
                        (exchange.request.size() == best->request.size() && best->played);
    if (better) best = &exchange;
  }
  if (best == nullptr) return Status::not_found("the cassette has no answer to this request");
  best->played = true;
  return best->result;
}

Result<Answer> as_answer(const BatchLine& line) {
  switch (line.type) {
    case BatchLineType::succeeded: return line.answer;
    case BatchLineType::errored: return Status(code_of_error(line.error_type), line.error_message);
    case BatchLineType::canceled:
    case BatchLineType::expired: break;
  }
  return Status::unavailable("the recorded request was not answered");
}

}  // namespace muster::claude
