#include "fronts/http/request_reader.h"

#include <fmt/format.h>

#include <boost/asio/buffer.hpp>
#include <boost/beast/http/error.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>
#include <optional>
#include <utility>

#include "base/ascii.h"
#include "base/check.h"
#include "fronts/http/grpc_web.h"
#include "fronts/http/upgrade.h"

namespace muster::http {
namespace {

namespace beast = boost::beast::http;
using boost::system::error_code;
using Parser = beast::request_parser<beast::string_body>;

std::string header(const Parser::value_type& message, beast::field field) {
  const auto found = message.find(field);
  return found == message.end() ? std::string() : std::string(found->value());
}

// What says who sends it.
Request head_of(const Parser::value_type& message) {
  Request request;
  request.method = method_named(message.method_string());
  request.host = header(message, beast::field::host);
  request.origin = header(message, beast::field::origin);
  request.authorization = header(message, beast::field::authorization);
  request.cookie = header(message, beast::field::cookie);
  return request;
}

std::vector<std::pair<std::string, std::string>> all_headers(const Parser::value_type& message) {
  std::vector<std::pair<std::string, std::string>> out;
  for (const auto& field : message) {
    std::string name = lower(field.name_string());
    if (name != "authorization" && name != "cookie") out.emplace_back(std::move(name), std::string(field.value()));
  }
  return out;
}

RequestReader::Failure failure_of(const error_code& error, const RequestReader::Bounds& bounds) {
  if (error == beast::error::header_limit)
    return {431, fmt::format("the request line and headers are longer than {} bytes", bounds.header_bytes_max)};
  if (error == beast::error::body_limit) return {413, fmt::format("the body is longer than {} bytes", bounds.body_bytes_max)};
  return {400, fmt::format("this is not an HTTP/1.1 request: {}", error.message())};
}

}  // namespace

Method method_named(std::string_view name) {
  for (const Method known :
       {Method::get, Method::head, Method::post, Method::put, Method::patch, Method::delete_, Method::options})
    if (to_string(known) == name) return known;
  return Method::other;
}

// Requests of our own API need the few headers that have a field of their own alone.
bool wants_metadata(const Request& request) {
  return request.method == Method::options || grpc_web::form_of(request.content_type).has_value() ||
         request.target.starts_with(kUpgradePath);
}

struct RequestReader::State {
  explicit State(Bounds with) : bounds(with) { renew(); }

  void renew() {
    parser.emplace();
    parser->eager(true);
    parser->header_limit(static_cast<std::uint32_t>(bounds.header_bytes_max));
    parser->body_limit(bounds.body_bytes_max);
    phase = Phase::idle;
    expectation = false;
    expectation_told = false;
    head_told = false;
  }

  void note_header() {
    if (phase == Phase::body || !parser->is_header_done()) return;
    phase = Phase::body;
    const auto found = parser->get().find(beast::field::expect);
    expectation = found != parser->get().end() && boost::beast::iequals(found->value(), "100-continue");
  }

  const Bounds bounds;
  std::optional<Parser> parser;
  Phase phase = Phase::idle;
  bool expectation = false;
  bool expectation_told = false;
  bool head_told = false;
  Failure failed;
};

RequestReader::RequestReader(Bounds bounds) : state_(std::make_unique<State>(bounds)) {}
RequestReader::~RequestReader() = default;

RequestReader::Phase RequestReader::phase() const { return state_->phase; }
std::size_t RequestReader::buffered() const { return state_->parser->get().body().size(); }
const RequestReader::Failure& RequestReader::failure() const { return state_->failed; }

std::size_t RequestReader::feed(std::string_view bytes) {
  std::size_t used = 0;
  while (used < bytes.size() && state_->phase != Phase::complete && state_->phase != Phase::failed) {
    if (state_->phase == Phase::idle) {
      // Empty lines before a request are allowed by RFC 9112, and some old clients send one after a body.
      if (bytes[used] == '\r' || bytes[used] == '\n') {
        ++used;
        continue;
      }
      state_->phase = Phase::header;
    }
    error_code error;
    const std::size_t taken = state_->parser->put(boost::asio::buffer(bytes.data() + used, bytes.size() - used), error);
    used += taken;
    state_->note_header();
    if (state_->parser->is_done()) {
      state_->phase = Phase::complete;
    } else if (error == beast::error::need_more) {
      break;
    } else if (error) {
      state_->failed = failure_of(error, state_->bounds);
      state_->phase = Phase::failed;
    }
  }
  return used;
}

bool RequestReader::take_expectation() {
  if (!state_->expectation || state_->phase != Phase::body || state_->expectation_told) return false;
  state_->expectation_told = true;
  return true;
}

std::optional<Request> RequestReader::take_early_head() {
  if (state_->phase != Phase::body || std::exchange(state_->head_told, true)) return std::nullopt;
  const auto length = state_->parser->content_length();
  if (length && *length <= kUncheckedBodyBytesMax) return std::nullopt;
  return head_of(state_->parser->get());
}

Request RequestReader::take() {
  check(state_->phase == Phase::complete, "a request is taken when it is complete");
  auto message = state_->parser->release();
  Request request = head_of(message);
  request.target = std::string(message.target());
  request.content_type = header(message, beast::field::content_type);
  request.accept_encoding = header(message, beast::field::accept_encoding);
  const auto last_event_id = message.find("Last-Event-ID");
  if (last_event_id != message.end()) request.last_event_id = std::string(last_event_id->value());
  request.if_none_match = header(message, beast::field::if_none_match);
  request.keep_alive = message.keep_alive();
  if (wants_metadata(request)) request.metadata = all_headers(message);
  request.body = std::move(message.body());
  state_->renew();
  return request;
}

}  // namespace muster::http
