#include "agents/claude/client.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include "agents/claude/engine.h"
#include "agents/claude/json_text.h"
#include "agents/claude/limits.h"

namespace muster::claude {
namespace {

// What may stand in a header: nothing that begins another one.
bool is_printable(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return c > 0x20 && c < 0x7F; });
}

bool is_batch_id(std::string_view id) {
  constexpr std::size_t kIdBytesMax = 256;
  const auto allowed = [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '-';
  };
  return !id.empty() && id.size() <= kIdBytesMax && std::all_of(id.begin(), id.end(), allowed);
}

Status check_params(std::string_view params, std::size_t bytes_max) {
  if (!params.starts_with('{') || !params.ends_with('}'))
    return Status::invalid_argument("the params of a message are a JSON object");
  if (params.size() > bytes_max)
    return Status::invalid_argument(
        fmt::format("the request has {} bytes, more than the {} that the model's API takes", params.size(), bytes_max));
  return Status();
}

Status check_betas(const std::vector<std::string>& betas) {
  for (const std::string& each : betas)
    if (each.empty() || !is_printable(each) || each.find(',') != std::string::npos)
      return Status::invalid_argument("a name for anthropic-beta is printable and has no comma");
  return Status();
}

// Those of every call and those of this one, each once.
std::string joined(const std::vector<std::string>& common, const std::vector<std::string>& own) {
  std::vector<std::string_view> names(common.begin(), common.end());
  for (const std::string& each : own)
    if (std::find(names.begin(), names.end(), each) == names.end()) names.push_back(each);
  return fmt::format("{}", fmt::join(names, ","));
}

std::uint64_t max_tokens_of(std::string_view params) {
  const std::string_view text = text_member(params, "max_tokens").value_or("");
  std::uint64_t tokens = 0;
  std::from_chars(text.data(), text.data() + text.size(), tokens);
  return tokens;
}

// What the model would read, without what only its answer is made by: the endpoint refuses members it does not know.
std::string countable(std::string_view params) {
  constexpr std::array<std::string_view, 9> kOfAnswers{"max_tokens", "temperature", "top_k",        "top_p",    "stop_sequences",
                                                       "stream",     "metadata",    "service_tier", "container"};
  std::string out = "{";
  for (const TextMember& member : text_members(params)) {
    if (std::find(kOfAnswers.begin(), kOfAnswers.end(), member.name) != kOfAnswers.end()) continue;
    if (out.size() > 1) out += ',';
    out.append("\"").append(member.name).append("\":").append(member.value);
  }
  return out + '}';
}

}  // namespace

Status validate(const Config& config) {
  const std::string_view url = config.base_url;
  const std::size_t scheme = url.starts_with("https://") ? 8 : url.starts_with("http://") ? 7 : 0;
  if (scheme == 0 || url.size() == scheme || !is_printable(url))
    return Status::invalid_argument(fmt::format("the model's API is at `{}`, which is no http:// or https:// address", url));
  if (!is_printable(config.api_key)) return Status::invalid_argument("the key of the model's API has characters that no key has");
  if (config.version.empty() || !is_printable(config.version))
    return Status::invalid_argument("anthropic-version is not printable");
  if (!is_printable(config.proxy)) return Status::invalid_argument("the proxy's address is not printable");
  if (config.calls_max == 0 || config.tries_max == 0) return Status::invalid_argument("calls at a time and tries are at least 1");
  return check_betas(config.betas);
}

Client::Client(Config config, const Clock& clock, Metrics& metrics)
    : engine_(std::make_shared<Engine>(std::move(config), clock, metrics)) {
  engine_->start();
}

Client::~Client() { engine_->stop(); }

CallId Client::stream(std::string params, std::vector<std::string> betas, std::shared_ptr<StreamSink> sink) {
  Status wrong = check_params(params, kModelRequestBytesMax);
  if (wrong.ok()) wrong = check_betas(betas);
  if (!wrong.ok()) {
    sink->ended(std::move(wrong));
    return CallId(0);
  }
  const bool counted = engine_->config().tokens_per_minute > 0;
  const std::uint64_t tokens = counted ? estimate_tokens(params.size(), max_tokens_of(params)) : 0;
  params.insert(1, params.find('"') == std::string::npos ? R"("stream":true)" : R"("stream":true,)");  // behind the brace
  Request request{
      .post = true, .path = "/v1/messages", .body = std::move(params), .betas = joined(engine_->config().betas, betas)};
  return engine_->submit(CallKind::stream, std::move(request), receive_stream(std::move(sink)), tokens);
}

void Client::cancel(CallId call) { engine_->cancel(call); }

void Client::create_batch(std::vector<BatchRequest> requests, std::vector<std::string> betas, Reply<Batch> reply) {
  if (requests.empty() || requests.size() > kModelBatchRequestsMax)
    return reply(
        Status::invalid_argument(fmt::format("a batch has 1 to {} requests, not {}", kModelBatchRequestsMax, requests.size())));
  std::string body = R"({"requests":[)";
  for (BatchRequest& each : requests) {
    Status wrong = check_params(each.params, kModelRequestBytesMax);
    if (wrong.ok() && body.size() + each.params.size() > kModelBatchBytesMax)
      wrong =
          Status::exhausted(fmt::format("the batch has more than the {} bytes that the model's API takes", kModelBatchBytesMax));
    if (!wrong.ok()) return reply(std::move(wrong));
    if (!body.ends_with('[')) body += ',';
    body.append(R"({"custom_id":)").append(json_string(each.custom_id)).append(R"(,"params":)").append(each.params).append("}");
    each = BatchRequest();  // one copy of a large batch is enough
  }
  body += "]}";
  if (Status wrong = check_betas(betas); !wrong.ok()) return reply(std::move(wrong));
  Request request{.post = true,
                  .path = "/v1/messages/batches",
                  .body = std::move(body),
                  .betas = joined(engine_->config().betas, betas),
                  .creates = true};
  engine_->submit(CallKind::batch_create, std::move(request), receive_batch(std::move(reply)), 0);
}

void Client::get_batch(std::string id, Reply<Batch> reply) {
  if (!is_batch_id(id)) return reply(Status::invalid_argument("not an id of a batch"));
  engine_->submit(CallKind::batch_get, {.path = "/v1/messages/batches/" + id, .betas = joined(engine_->config().betas, {})},
                  receive_batch(std::move(reply)), 0);
}

void Client::cancel_batch(std::string id, Reply<Batch> reply) {
  if (!is_batch_id(id)) return reply(Status::invalid_argument("not an id of a batch"));
  Request request{.post = true, .path = "/v1/messages/batches/" + id + "/cancel", .betas = joined(engine_->config().betas, {})};
  engine_->submit(CallKind::batch_cancel, std::move(request), receive_batch(std::move(reply)), 0);
}

void Client::batch_results(std::string id, std::shared_ptr<LineSink> lines, Reply<std::uint64_t> reply) {
  if (!is_batch_id(id)) return reply(Status::invalid_argument("not an id of a batch"));
  Request request{.path = "/v1/messages/batches/" + id + "/results", .betas = joined(engine_->config().betas, {})};
  const auto count = [engine = engine_.get()](const TokenUsage& usage) { engine->count_usage(usage); };
  engine_->submit(CallKind::batch_results, std::move(request), receive_lines(std::move(lines), std::move(reply), count), 0);
}

void Client::count_tokens(std::string params, std::vector<std::string> betas, Reply<std::uint64_t> reply) {
  Status wrong = check_params(params, kModelRequestBytesMax);
  if (wrong.ok()) wrong = check_betas(betas);
  if (!wrong.ok()) return reply(std::move(wrong));
  Request request{.post = true,
                  .path = "/v1/messages/count_tokens",
                  .body = countable(params),
                  .betas = joined(engine_->config().betas, betas)};
  engine_->submit(CallKind::count_tokens, std::move(request), receive_token_count(std::move(reply)), 0);
}

void Client::stop() { engine_->stop(); }

}  // namespace muster::claude
