#include "agents/claude/transfer.h"

#include <fmt/format.h>

#include "agents/claude/documents.h"
#include "agents/claude/limits.h"
#include "base/ascii.h"

namespace muster::claude {
namespace {

constexpr long kReceiveBytes = 4 * 1024;  // curl's own 16 kB for each of a thousand streams that bring a hundred bytes at a time
constexpr long kSendBytes = 16 * 1024;    // the least that curl takes
constexpr std::size_t kHeaderTextMax = 128;

void add_header(curl_slist*& list, const std::string& line) {
  // On failure the list stays as it is, and the API says what is missing.
  if (curl_slist* const longer = curl_slist_append(list, line.c_str())) list = longer;
}

Code code_of_status(long status) {
  switch (status) {
    case 401: return Code::unauthenticated;
    case 403: return Code::permission_denied;
    case 404: return Code::not_found;
    case 429:
    case 529: return Code::exhausted;
    case 408: return Code::unavailable;
    default: return status >= 500 ? Code::unavailable : status >= 400 ? Code::invalid_argument : Code::corrupt;
  }
}

// Whether the request may have been carried out although the answer is an error.
bool is_doubtful(long status) { return status == 408 || status == 502 || status == 504; }

void remove_all(std::string& text, std::string_view secret) {
  constexpr std::string_view kShown = "[key]";
  for (std::size_t at = 0; !secret.empty() && (at = text.find(secret, at)) != std::string::npos; at += kShown.size())
    text.replace(at, secret.size(), kShown);
}

}  // namespace

Transfer::Transfer(const Config& config, const Clock& clock, const Incidents& incidents, const Request& request,
                   Receiver& receiver, CURL* easy)
    : config_(config),
      clock_(clock),
      incidents_(incidents),
      request_(request),
      receiver_(receiver),
      easy_(easy),
      began_at_(clock.elapsed()),
      last_byte_at_(began_at_) {
  set_options();
  set_headers();
}

Transfer::~Transfer() {
  curl_easy_reset(easy_);  // which forgets every pointer to what ends here
  curl_slist_free_all(headers_);
}

void Transfer::set_options() {
  std::string base = config_.base_url;
  while (base.ends_with('/')) base.pop_back();
  curl_easy_setopt(easy_, CURLOPT_URL, (base + request_.path).c_str());
  curl_easy_setopt(easy_, CURLOPT_PROTOCOLS_STR, "http,https");
  curl_easy_setopt(easy_, CURLOPT_FOLLOWLOCATION, 0L);
  curl_easy_setopt(easy_, CURLOPT_HTTP_VERSION, static_cast<long>(CURL_HTTP_VERSION_1_1));
  curl_easy_setopt(easy_, CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(easy_, CURLOPT_TCP_NODELAY, 1L);
  curl_easy_setopt(easy_, CURLOPT_TCP_KEEPALIVE, 1L);
  curl_easy_setopt(easy_, CURLOPT_BUFFERSIZE, kReceiveBytes);
  curl_easy_setopt(easy_, CURLOPT_UPLOAD_BUFFERSIZE, kSendBytes);
  curl_easy_setopt(easy_, CURLOPT_CONNECTTIMEOUT_MS, static_cast<long>(config_.connect_timeout.count()));
  // Empty texts keep curl from asking the environment.
  curl_easy_setopt(easy_, CURLOPT_PROXY, config_.proxy.c_str());
  curl_easy_setopt(easy_, CURLOPT_NOPROXY, "");
  curl_easy_setopt(easy_, CURLOPT_SUPPRESS_CONNECT_HEADERS, 1L);
  curl_easy_setopt(easy_, CURLOPT_SSL_VERIFYPEER, 1L);
  curl_easy_setopt(easy_, CURLOPT_SSL_VERIFYHOST, 2L);
  if (!config_.ca_file.empty()) curl_easy_setopt(easy_, CURLOPT_CAINFO, config_.ca_file.c_str());
  // With certificates of one file alone curl reads them once for all connections.
  curl_easy_setopt(easy_, CURLOPT_CAPATH, nullptr);
  // Over a connection that was open already curl repeats by itself a request whose answer did not come.
  if (request_.creates) curl_easy_setopt(easy_, CURLOPT_FRESH_CONNECT, 1L);
  if (request_.post) {
    curl_easy_setopt(easy_, CURLOPT_POST, 1L);
    curl_easy_setopt(easy_, CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(request_.body.size()));
    curl_easy_setopt(easy_, CURLOPT_POSTFIELDS, request_.body.c_str());
  }
  curl_easy_setopt(easy_, CURLOPT_ERRORBUFFER, error_text_.data());
  curl_easy_setopt(easy_, CURLOPT_WRITEFUNCTION, on_body);
  curl_easy_setopt(easy_, CURLOPT_WRITEDATA, this);
  curl_easy_setopt(easy_, CURLOPT_HEADERFUNCTION, on_header);
  curl_easy_setopt(easy_, CURLOPT_HEADERDATA, this);
}

void Transfer::set_headers() {
  if (!config_.api_key.empty()) add_header(headers_, "x-api-key: " + config_.api_key);
  add_header(headers_, "anthropic-version: " + config_.version);
  if (!request_.betas.empty()) add_header(headers_, "anthropic-beta: " + request_.betas);
  add_header(headers_, "Accept: application/json, text/event-stream");
  add_header(headers_, "User-Agent: muster");
  if (request_.post) add_header(headers_, "Content-Type: application/json");
  add_header(headers_, "Expect:");  // no extra round trip before a large body
  curl_easy_setopt(easy_, CURLOPT_HTTPHEADER, headers_);
  // A proxy does not learn the key of those behind it.
  curl_easy_setopt(easy_, CURLOPT_HEADEROPT, static_cast<long>(CURLHEADER_SEPARATE));
}

std::size_t Transfer::on_body(char* bytes, std::size_t size, std::size_t count, void* self) {
  const std::string_view piece(bytes, size * count);
  auto& transfer = *static_cast<Transfer*>(self);
  transfer.paused_ = !transfer.receiver_.has_room();
  if (transfer.paused_) return CURL_WRITEFUNC_PAUSE;  // curl keeps the piece and shows it again
  return transfer.take_body(piece) ? piece.size() : 0;
}

void Transfer::go_on() {
  if (!paused_ || !receiver_.has_room()) return;
  last_byte_at_ = clock_.elapsed();
  curl_easy_pause(easy_, CURLPAUSE_CONT);  // which may bring a piece at once, and pause again
}

// False: the rest is not wanted.
bool Transfer::take_body(std::string_view bytes) {
  last_byte_at_ = clock_.elapsed();
  try {
    if (status_ == 200 && !refused_) {
      refused_ = !receiver_.accepts(content_type_);
      if (!refused_) failure_ = receiver_.bytes(bytes);
      if (!refused_) return failure_.ok();
    }
    error_body_.append(bytes.substr(0, kModelErrorBytesMax - error_body_.size()));
    return error_body_.size() < kModelErrorBytesMax;
  } catch (...) {
    failure_ = Incident(incidents_, "an answer of the model's API").status();
    return false;
  }
}

std::size_t Transfer::on_header(char* bytes, std::size_t size, std::size_t count, void* self) {
  static_cast<Transfer*>(self)->take_header({bytes, size * count});
  return size * count;
}

void Transfer::take_header(std::string_view line) {
  last_byte_at_ = clock_.elapsed();
  if (line.starts_with("HTTP/")) {  // of the answer itself, or of an interim one before it
    curl_easy_getinfo(easy_, CURLINFO_RESPONSE_CODE, &status_);
    hints_ = RetryHints();
    return;
  }
  const std::size_t colon = line.find(':');
  if (colon == std::string_view::npos) return;
  const std::string_view name = line.substr(0, colon);
  const std::string_view value = trimmed(line.substr(colon + 1), " \t\r\n").substr(0, kHeaderTextMax);
  if (same_in_any_case(name, "content-type"))
    content_type_ = lower(value);
  else if (same_in_any_case(name, "request-id"))
    request_id_ = one_line(value);
  else
    note_retry_header(name, value, clock_.now(), hints_);
}

Ticks Transfer::last_byte_at(Ticks now) {
  if (paused_) last_byte_at_ = now;
  // A large batch on a slow line takes longer to leave than an API may be silent.
  curl_off_t sent = 0;
  if (status_ == 0) curl_easy_getinfo(easy_, CURLINFO_SIZE_UPLOAD_T, &sent);
  if (sent > bytes_sent_) {
    bytes_sent_ = sent;
    last_byte_at_ = now;
  }
  return last_byte_at_;
}

Outcome Transfer::outcome(CURLcode code) {
  if (!failure_.ok()) {
    // What the API says in the stream is judged like what it says as a status; an answer that breaks its own rules may be a
    // stream that something in between has cut.
    const Code why = failure_.code();
    return failed(why, failure_.message(), why == Code::exhausted || why == Code::unavailable || why == Code::corrupt);
  }
  if (status_ >= 300 || refused_) return answered();
  if (status_ < 200) return lost(code);
  Status complete = receiver_.complete(code == CURLE_OK);
  if (complete.ok()) return {.http_status = status_};
  if (code != CURLE_OK) return lost(code);
  if (request_.creates) return failed(Code::outcome_unknown, complete.message(), false);
  return failed(complete.code(), complete.message(), true);
}

Outcome Transfer::answered() {
  const std::optional<ApiError> error = read_error(error_body_);
  std::string what = error ? fmt::format("{}: {}", error->type, error->message) : excerpt(error_body_);
  if (refused_) {
    what = fmt::format("{} of type `{}`, not the model's API", what, one_line(content_type_));
    return failed(Code::corrupt, what, false);
  }
  if (status_ < 400) return failed(Code::corrupt, "a redirection, which is not followed", false);
  Outcome outcome = failed(code_of_status(status_), what, is_retryable_status(status_, hints_));
  if (request_.creates && is_doubtful(status_)) {
    outcome.retryable = false;
    outcome.status = Status::outcome_unknown(outcome.status.message());
  }
  outcome.after = hints_.after;
  return outcome;
}

Outcome Transfer::lost(CURLcode code) {
  const std::string what = one_line(error_text_[0] != '\0' ? error_text_.data() : curl_easy_strerror(code));
  switch (code) {
    case CURLE_URL_MALFORMAT:
    case CURLE_COULDNT_RESOLVE_HOST:
    case CURLE_COULDNT_RESOLVE_PROXY:
    case CURLE_COULDNT_CONNECT:
    case CURLE_SSL_CONNECT_ERROR: return failed(Code::unavailable, what, code != CURLE_URL_MALFORMAT);
    case CURLE_PEER_FAILED_VERIFICATION:
    case CURLE_SSL_CACERT_BADFILE: return failed(Code::unavailable, what, false);
    case CURLE_UNSUPPORTED_PROTOCOL:
    case CURLE_WEIRD_SERVER_REPLY: return failed(Code::corrupt, "not an answer of HTTP: " + what, false);
    default: return given_up(what);
  }
}

Outcome Transfer::given_up(std::string_view why) {
  if (status_ == 200 && failure_.ok() && !refused_ && receiver_.complete(false).ok()) return {.http_status = status_};
  if (request_.creates && may_have_arrived()) return failed(Code::outcome_unknown, why, false);
  return failed(Code::unavailable, why, true);
}

bool Transfer::may_have_arrived() const {
  curl_off_t sending_after_us = 0;
  curl_easy_getinfo(easy_, CURLINFO_PRETRANSFER_TIME_T, &sending_after_us);
  return sending_after_us > 0 || status_ != 0;
}

Outcome Transfer::failed(Code code, std::string_view what, bool retryable) {
  std::string message = fmt::format("{} {}", request_.post ? "POST" : "GET", request_.path);
  if (status_ != 0) message += fmt::format(" answered {}", status_);
  message += fmt::format(": {}", what);
  if (!request_id_.empty()) message += fmt::format(" (request {})", request_id_);
  remove_all(message, config_.api_key);
  return {.status = Status(code, std::move(message)), .retryable = retryable, .http_status = status_};
}

}  // namespace muster::claude
