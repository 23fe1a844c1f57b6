// Private to the files of Client: its connections, and a request with its decoder.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sdk/cpp/client.h"
#include "sdk/cpp/pool.h"
#include "sdk/cpp/url.h"

namespace muster::sdk {

inline Path api(std::string_view rest) { return Path(std::string("/api/v1").append(rest)); }

// A listing of jobs or runs, with what narrows it.
Path job_listing(std::string_view rest, const JobQuery& query);

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

  Result<Settled> settle(const LeaseRef& lease, std::string_view verb, std::string request) {
    return post(api("/jobs").segment(lease.id).segment(verb), std::move(request), decode_settled);
  }
};

}  // namespace muster::sdk
