#include "sdk/cpp/transport.h"

#include <curl/curl.h>
#include <fmt/format.h>

#include <atomic>
#include <charconv>
#include <mutex>
#include <vector>

#include "sdk/cpp/codec.h"

namespace muster::sdk {
namespace {

constexpr int kPollMillisMax = 1'000;
constexpr long kStreamBytesPerSecondMin = 1;

void ensure_curl_started() {
  // curl_global_init is not thread-safe by itself; a function-local static is.
  static const CURLcode started = curl_global_init(CURL_GLOBAL_DEFAULT);
  static_cast<void>(started);
}

// Everything one transfer writes through curl's callbacks.
struct Exchange {
  std::string body;
  std::string retry_after;
  bool overflow = false;
  bool refused = false;  // `take` said no
  const std::function<bool(std::string_view)>* take = nullptr;
  CURL* handle = nullptr;
};

std::size_t on_body(char* bytes, std::size_t size, std::size_t count, void* context) {
  auto& exchange = *static_cast<Exchange*>(context);
  const std::string_view piece(bytes, size * count);
  long status = 0;
  curl_easy_getinfo(exchange.handle, CURLINFO_RESPONSE_CODE, &status);
  if (exchange.take != nullptr && status == 200) {
    exchange.refused = !(*exchange.take)(piece);
    return exchange.refused ? 0 : piece.size();
  }
  if (exchange.body.size() + piece.size() > Transport::kResponseBytesMax) {
    exchange.overflow = true;
    return 0;
  }
  exchange.body.append(piece);
  return piece.size();
}

bool same_header(std::string_view line, std::string_view name) {
  if (line.size() <= name.size() || line[name.size()] != ':') return false;
  for (std::size_t i = 0; i < name.size(); ++i)
    if ((line[i] | 0x20) != name[i]) return false;
  return true;
}

std::size_t on_header(char* bytes, std::size_t size, std::size_t count, void* context) {
  auto& exchange = *static_cast<Exchange*>(context);
  std::string_view line(bytes, size * count);
  constexpr std::string_view kName = "retry-after";
  if (same_header(line, kName)) {
    line.remove_prefix(kName.size() + 1);
    while (line.starts_with(' ')) line.remove_prefix(1);
    while (line.ends_with('\n') || line.ends_with('\r')) line.remove_suffix(1);
    exchange.retry_after = line;
  }
  return size * count;
}

Error failure(Code code, std::string detail) {
  return Error{.code = code, .status = 0, .detail = std::move(detail), .retry_after = {}};
}

class Headers {
 public:
  ~Headers() { curl_slist_free_all(list_); }
  void add(const std::string& line) { list_ = curl_slist_append(list_, line.c_str()); }
  curl_slist* list() const { return list_; }

 private:
  curl_slist* list_ = nullptr;
};

}  // namespace

struct Transport::State {
  TransportOptions options;
  CURL* easy = nullptr;
  CURLM* multi = nullptr;
  std::atomic<bool> interrupted = false;
  char error_text[CURL_ERROR_SIZE] = {};

  void prepare(const std::string& path, Exchange& exchange, const Headers& headers);
  Result<CURLcode> run();
  Error explain(CURLcode code, bool writes) const;
};

Transport::Transport(const TransportOptions& options) : state_(std::make_unique<State>()) {
  ensure_curl_started();
  state_->options = options;
  state_->easy = curl_easy_init();
  state_->multi = curl_multi_init();
}

Transport::~Transport() {
  if (state_->easy != nullptr) curl_easy_cleanup(state_->easy);
  if (state_->multi != nullptr) curl_multi_cleanup(state_->multi);
}

void Transport::interrupt() {
  state_->interrupted = true;
  if (state_->multi != nullptr) curl_multi_wakeup(state_->multi);
}

void Transport::State::prepare(const std::string& path, Exchange& exchange, const Headers& headers) {
  curl_easy_reset(easy);  // options only: connections and TLS sessions stay
  exchange.handle = easy;
  error_text[0] = '\0';
  curl_easy_setopt(easy, CURLOPT_URL, (options.base + path).c_str());
  curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https");
  curl_easy_setopt(easy, CURLOPT_HTTP_VERSION, static_cast<long>(CURL_HTTP_VERSION_1_1));
  curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(easy, CURLOPT_NOPROXY, "*");  // a token must not travel through a proxy named in the environment
  curl_easy_setopt(easy, CURLOPT_TCP_NODELAY, 1L);
  curl_easy_setopt(easy, CURLOPT_TCP_KEEPALIVE, 1L);
  curl_easy_setopt(easy, CURLOPT_ACCEPT_ENCODING, "gzip");
  curl_easy_setopt(easy, CURLOPT_CONNECTTIMEOUT_MS, static_cast<long>(options.connect_timeout.count()));
  curl_easy_setopt(easy, CURLOPT_USERAGENT, options.user_agent.c_str());
  curl_easy_setopt(easy, CURLOPT_ERRORBUFFER, error_text);
  if (!options.ca_file.empty()) curl_easy_setopt(easy, CURLOPT_CAINFO, options.ca_file.c_str());
  curl_easy_setopt(easy, CURLOPT_HTTPHEADER, headers.list());
  curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, on_body);
  curl_easy_setopt(easy, CURLOPT_WRITEDATA, &exchange);
  curl_easy_setopt(easy, CURLOPT_HEADERFUNCTION, on_header);
  curl_easy_setopt(easy, CURLOPT_HEADERDATA, &exchange);
}

// The transfer runs on a multi handle of its own because only that can be woken from another thread.
Result<CURLcode> Transport::State::run() {
  if (curl_multi_add_handle(multi, easy) != CURLM_OK) return failure(Code::internal, "curl refused the transfer");
  CURLcode outcome = CURLE_OK;
  bool stopped = false;
  for (int running = 1; running > 0;) {
    if (interrupted) {
      stopped = true;
      break;
    }
    if (curl_multi_perform(multi, &running) != CURLM_OK) outcome = CURLE_FAILED_INIT;
    int left = 0;
    while (const CURLMsg* message = curl_multi_info_read(multi, &left))
      if (message->msg == CURLMSG_DONE) outcome = message->data.result;
    if (running > 0) curl_multi_poll(multi, nullptr, 0, kPollMillisMax, nullptr);
  }
  curl_multi_remove_handle(multi, easy);
  if (stopped) return failure(Code::interrupted, "the call was interrupted");
  return outcome;
}

Error Transport::State::explain(CURLcode code, bool writes) const {
  const std::string why = error_text[0] != '\0' ? error_text : curl_easy_strerror(code);
  long opened = 0;
  curl_off_t connected_us = 0;
  curl_easy_getinfo(easy, CURLINFO_NUM_CONNECTS, &opened);
  curl_easy_getinfo(easy, CURLINFO_CONNECT_TIME_T, &connected_us);
  switch (code) {
    case CURLE_COULDNT_RESOLVE_HOST:
    case CURLE_COULDNT_CONNECT:
    case CURLE_SSL_CONNECT_ERROR:
    case CURLE_PEER_FAILED_VERIFICATION:
    case CURLE_SSL_CACERT_BADFILE: return failure(Code::unreachable, fmt::format("no connection to {}: {}", options.base, why));
    case CURLE_URL_MALFORMAT:
    case CURLE_UNSUPPORTED_PROTOCOL:
      return failure(Code::invalid_argument, fmt::format("server `{}` is not an address: {}", options.base, why));
    case CURLE_OPERATION_TIMEDOUT:
      if (opened > 0 && connected_us == 0)
        return failure(Code::unreachable, fmt::format("no connection to {}: {}", options.base, why));
      break;
    case CURLE_WEIRD_SERVER_REPLY:
    case CURLE_BAD_CONTENT_ENCODING:
      return failure(Code::bad_reply, fmt::format("{} does not answer as an HTTP server: {}", options.base, why));
    default: break;
  }
  return failure(writes ? Code::outcome_unknown : Code::unavailable, fmt::format("no answer from {}: {}", options.base, why));
}

Result<Response> Transport::perform(const Request& request) {
  if (state_->easy == nullptr || state_->multi == nullptr) return failure(Code::internal, "curl could not be started");
  Headers headers;
  if (!state_->options.token.empty()) headers.add("Authorization: Bearer " + state_->options.token);
  headers.add("Accept: application/json");
  headers.add("Expect:");  // no extra round trip before a large body
  if (request.has_body) headers.add("Content-Type: application/json");
  Exchange exchange;
  state_->prepare(request.path, exchange, headers);
  CURL* easy = state_->easy;
  curl_easy_setopt(easy, CURLOPT_CUSTOMREQUEST, request.method);
  if (request.has_body) {
    curl_easy_setopt(easy, CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(request.body.size()));
    curl_easy_setopt(easy, CURLOPT_POSTFIELDS, request.body.c_str());
  }
  curl_easy_setopt(easy, CURLOPT_TIMEOUT_MS, static_cast<long>(request.timeout.count()));

  const Result<CURLcode> outcome = state_->run();
  if (!outcome.ok()) return outcome.error();
  if (exchange.overflow) return failure(Code::bad_reply, fmt::format("the answer is longer than {} bytes", kResponseBytesMax));
  const bool writes = std::string_view(request.method) != "GET";
  if (*outcome != CURLE_OK) return state_->explain(*outcome, writes);

  long status = 0;
  curl_easy_getinfo(easy, CURLINFO_RESPONSE_CODE, &status);
  if (status >= 400) {
    Error error = decode_problem(static_cast<int>(status), exchange.body);
    int seconds = 0;
    const std::string& text = exchange.retry_after;
    if (std::from_chars(text.data(), text.data() + text.size(), seconds).ec == std::errc() && seconds >= 0)
      error.retry_after = std::chrono::seconds(seconds);
    return error;
  }
  return Response{.status = static_cast<int>(status), .body = std::move(exchange.body)};
}

Result<Nothing> Transport::stream(const std::string& path, const std::string& last_event_id,
                                  const std::function<bool(std::string_view)>& take) {
  if (state_->easy == nullptr || state_->multi == nullptr) return failure(Code::internal, "curl could not be started");
  Headers headers;
  if (!state_->options.token.empty()) headers.add("Authorization: Bearer " + state_->options.token);
  headers.add("Accept: text/event-stream");
  if (!last_event_id.empty()) headers.add("Last-Event-ID: " + last_event_id);
  Exchange exchange;
  exchange.take = &take;
  state_->prepare(path, exchange, headers);
  CURL* easy = state_->easy;
  curl_easy_setopt(easy, CURLOPT_ACCEPT_ENCODING, nullptr);  // events are wanted at once, not when a block is full
  curl_easy_setopt(easy, CURLOPT_LOW_SPEED_LIMIT, kStreamBytesPerSecondMin);
  curl_easy_setopt(easy, CURLOPT_LOW_SPEED_TIME, static_cast<long>(kStreamSilenceMax.count()));

  const Result<CURLcode> outcome = state_->run();
  if (!outcome.ok()) return outcome.error();
  if (exchange.refused) return Nothing{};
  if (*outcome != CURLE_OK) return state_->explain(*outcome, false);
  long status = 0;
  curl_easy_getinfo(easy, CURLINFO_RESPONSE_CODE, &status);
  if (status >= 400) return decode_problem(static_cast<int>(status), exchange.body);
  return Nothing{};
}

// --- the pool -----------------------------------------------------------------------------------------------------

std::unique_ptr<Transport> ConnectionPool::borrow() {
  std::unique_ptr<Transport> transport;
  const std::lock_guard lock(mutex_);
  if (idle_.empty()) {
    transport = std::make_unique<Transport>(options_);
  } else {
    // The one used last is the one most likely to be open still.
    transport = std::move(idle_.back());
    idle_.pop_back();
  }
  if (interrupted_) transport->interrupt();
  busy_.insert(transport.get());
  return transport;
}

void ConnectionPool::give_back(std::unique_ptr<Transport> transport) {
  const std::lock_guard lock(mutex_);
  busy_.erase(transport.get());
  if (idle_.size() < kIdleMax) idle_.push_back(std::move(transport));
}

Result<Response> ConnectionPool::perform(const Request& request) {
  std::unique_ptr<Transport> transport = borrow();
  Result<Response> response = transport->perform(request);
  give_back(std::move(transport));
  return response;
}

Result<Nothing> ConnectionPool::stream(const std::string& path, const std::string& last_event_id,
                                       const std::function<bool(std::string_view)>& take) {
  std::unique_ptr<Transport> transport = borrow();
  Result<Nothing> outcome = transport->stream(path, last_event_id, take);
  give_back(std::move(transport));
  return outcome;
}

void ConnectionPool::interrupt() {
  const std::lock_guard lock(mutex_);
  interrupted_ = true;
  for (Transport* transport : busy_) transport->interrupt();
}

}  // namespace muster::sdk
