// Private to Client: its connections, and a request with its decoder.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "sdk/cpp/client.h"
#include "sdk/cpp/transport.h"
#include "sdk/cpp/url.h"

namespace muster::sdk {

inline Path api(std::string_view rest) { return Path(std::string("/api/v1").append(rest)); }

template <class Number>
std::string number_text(const std::optional<Number>& number) {
  return number ? std::to_string(*number) : std::string();
}

struct Client::State {
  ClientOptions options;
  std::string base;
  ConnectionPool pool;

  Result<std::string> send(const char* method, const Path& path, std::optional<std::string> body, Duration extra = {}) {
    Request request{.method = method,
                    .path = path.text(),
                    .body = body ? std::move(*body) : std::string(),
                    .has_body = body.has_value(),
                    .timeout = options.timeout + extra};
    Result<Response> response = pool.perform(request);
    if (!response.ok()) return response.error();
    return std::move(response->body);
  }

  template <class Decode>
  auto get(const Path& path, Decode decode) -> decltype(decode(std::string_view())) {
    const Result<std::string> body = send("GET", path, std::nullopt);
    if (!body.ok()) return body.error();
    return decode(*body);
  }

  template <class Decode>
  auto post(const Path& path, std::string request, Decode decode) -> decltype(decode(std::string_view())) {
    const Result<std::string> body = send("POST", path, std::move(request));
    if (!body.ok()) return body.error();
    return decode(*body);
  }

  template <class Decode>
  auto call(const char* method, const Path& path, std::optional<std::string> request, Decode decode, Duration extra = {})
      -> decltype(decode(std::string_view())) {
    const Result<std::string> body = send(method, path, std::move(request), extra);
    if (!body.ok()) return body.error();
    return decode(*body);
  }

  Result<Settled> settle(const LeaseRef& lease, std::string_view verb, std::string request) {
    return post(api("/jobs").segment(lease.id).segment(verb), std::move(request), decode_settled);
  }
};

}  // namespace muster::sdk
