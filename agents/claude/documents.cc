#include "agents/claude/documents.h"

#include <fmt/format.h>

#include "agents/claude/json_text.h"
#include "agents/claude/limits.h"
#include "base/time_text.h"
#include "base/utf8.h"

namespace muster::claude {
namespace {

std::string text_or_empty(const json::Tree& value, const char* name) {
  const std::string* found = json::text(value, name);
  return found == nullptr ? std::string() : *found;
}

// Printable characters of `text`, blanks for the others, cut at a whole character.
std::string printable(std::string_view text, std::size_t bytes_max) {
  std::string out;
  while (!text.empty() && out.size() < bytes_max) {
    const std::size_t length = utf8_length(text);
    const bool control = length == 1 && (static_cast<unsigned char>(text.front()) < 0x20 || text.front() == 0x7F);
    const bool control_c1 = length == 2 && text[0] == '\xC2' && static_cast<unsigned char>(text[1]) < 0xA0;
    if (length == 0 || control || control_c1) {
      if (!out.empty() && !out.ends_with(' ')) out += ' ';
    } else if (out.size() + length > bytes_max) {
      break;
    } else {
      out += text.substr(0, length);
    }
    text.remove_prefix(std::max<std::size_t>(length, 1));
  }
  while (out.ends_with(' ')) out.pop_back();
  return out;
}

std::optional<ApiError> error_in(const json::Tree& tree) {
  const json::Tree* error = &tree;
  for (const json::Tree* inner = json::member(*error, "error"); inner != nullptr && inner->is_object();
       inner = json::member(*error, "error"))
    error = inner;
  const std::string* type = json::text(*error, "type");
  const std::string* message = json::text(*error, "message");
  if (message == nullptr) return std::nullopt;
  return ApiError{.type = type == nullptr ? std::string() : printable(*type, 64), .message = one_line(*message)};
}

std::optional<BatchState> parse_state(std::string_view name) {
  if (name == "in_progress") return BatchState::in_progress;
  if (name == "canceling") return BatchState::canceling;
  if (name == "ended") return BatchState::ended;
  return std::nullopt;
}

// The message of a line that succeeded. False: it is none.
bool read_message(std::string_view line, const json::Tree& result, Answer& answer) {
  const json::Tree* message = json::member(result, "message");
  if (message == nullptr || json::array(*message, "content") == nullptr) return false;
  const auto result_text = text_member(line, "result");
  const auto message_text = text_member(result_text.value_or(""), "message");
  const auto content = text_member(message_text.value_or(""), "content");
  if (!content) return false;
  answer.blocks = *content;
  answer.id = text_or_empty(*message, "id");
  answer.model = text_or_empty(*message, "model");
  answer.stop_reason = text_or_empty(*message, "stop_reason");
  answer.stop_sequence = text_or_empty(*message, "stop_sequence");
  if (const json::Tree* usage = json::member(*message, "usage")) read_usage(*usage, answer.usage);
  return true;
}

void make_error(BatchLine& line, ApiError error, bool retryable) {
  line.type = BatchLineType::errored;
  line.error_type = std::move(error.type);
  line.error_message = std::move(error.message);
  line.retryable = retryable;
}

}  // namespace

std::optional<ApiError> read_error(std::string_view body) {
  const std::optional<json::Tree> tree = json::parse_object(body);
  return tree ? error_in(*tree) : std::nullopt;
}

Code code_of_error(std::string_view type) {
  if (type == "overloaded_error" || type == "rate_limit_error") return Code::exhausted;
  if (type == "authentication_error") return Code::unauthenticated;
  if (type == "permission_error") return Code::permission_denied;
  if (type == "not_found_error") return Code::not_found;
  if (type == "invalid_request_error" || type == "request_too_large" || type == "billing_error") return Code::invalid_argument;
  return Code::unavailable;
}

bool is_retryable_error(std::string_view type) {
  const Code code = code_of_error(type);
  return code == Code::exhausted || code == Code::unavailable;
}

void read_usage(const json::Tree& usage, TokenUsage& into) {
  into.input = json::natural(usage, "input_tokens").value_or(into.input);
  into.output = json::natural(usage, "output_tokens").value_or(into.output);
  into.cache_creation = json::natural(usage, "cache_creation_input_tokens").value_or(into.cache_creation);
  into.cache_read = json::natural(usage, "cache_read_input_tokens").value_or(into.cache_read);
}

Result<Batch> read_batch(std::string_view body) {
  const std::optional<json::Tree> tree = json::parse_object(body);
  const std::string* id = tree ? json::text(*tree, "id") : nullptr;
  const std::string* status = tree ? json::text(*tree, "processing_status") : nullptr;
  const std::optional<BatchState> state = status == nullptr ? std::nullopt : parse_state(*status);
  if (id == nullptr || id->empty() || !state) return Status::corrupt(fmt::format("not a batch: {}", excerpt(body)));
  Batch batch{.id = *id, .state = *state};
  if (const json::Tree* counts = json::member(*tree, "request_counts")) {
    batch.processing = json::natural(*counts, "processing").value_or(0);
    batch.succeeded = json::natural(*counts, "succeeded").value_or(0);
    batch.errored = json::natural(*counts, "errored").value_or(0);
    batch.canceled = json::natural(*counts, "canceled").value_or(0);
    batch.expired = json::natural(*counts, "expired").value_or(0);
  }
  if (const std::string* expires = json::text(*tree, "expires_at")) batch.expires_at = parse_rfc3339(*expires);
  return batch;
}

Result<std::uint64_t> read_token_count(std::string_view body) {
  const std::optional<json::Tree> tree = json::parse_object(body);
  const auto tokens = tree ? json::natural(*tree, "input_tokens") : std::nullopt;
  if (!tokens) return Status::corrupt(fmt::format("not a count of tokens: {}", excerpt(body)));
  return *tokens;
}

Result<BatchLine> read_batch_line(std::string_view line) {
  const std::optional<json::Tree> tree = json::parse_object(line);
  const std::string* id = tree ? json::text(*tree, "custom_id") : nullptr;
  if (id == nullptr) return Status::corrupt(fmt::format("not a result of a batch: {}", excerpt(line)));
  BatchLine out{.custom_id = *id};
  const json::Tree* result = json::member(*tree, "result");
  const std::string type = result == nullptr ? std::string() : text_or_empty(*result, "type");
  if (type == "canceled") {
    out.type = BatchLineType::canceled;
  } else if (type == "expired") {
    out.type = BatchLineType::expired;
    out.retryable = true;
  } else if (type == "errored") {
    const json::Tree* error = json::member(*result, "error");
    auto found = error == nullptr ? std::nullopt : error_in(*error);
    if (!found) found = ApiError{.type = "api_error", .message = "the result says no reason"};
    const bool retryable = is_retryable_error(found->type);
    make_error(out, *std::move(found), retryable);
  } else if (type == "succeeded" && read_message(line, *result, out.answer)) {
    out.type = BatchLineType::succeeded;
  } else {
    make_error(out, {"corrupt_result", fmt::format("not a result: {}", excerpt(line))}, true);
  }
  return out;
}

std::string excerpt(std::string_view body) {
  const std::string shown = printable(body, kModelExcerptBytesMax);
  return shown.empty() ? "nothing readable" : "`" + shown + "`";
}

std::string one_line(std::string_view message) { return printable(message, kModelErrorTextBytesMax); }

}  // namespace muster::claude
