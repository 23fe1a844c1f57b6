// A request as the front uses it: its line, the few headers that matter, its body.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace muster::http {

inline constexpr std::size_t kUncheckedBodyBytesMax = 64 * 1024;  // of a body that is kept before its sender's token is looked at

enum class Method : std::uint8_t { get, head, post, put, patch, delete_, options, other };

constexpr std::string_view to_string(Method method) {
  switch (method) {
    case Method::get: return "GET";
    case Method::head: return "HEAD";
    case Method::post: return "POST";
    case Method::put: return "PUT";
    case Method::patch: return "PATCH";
    case Method::delete_: return "DELETE";
    case Method::options: return "OPTIONS";
    case Method::other: return "other";
  }
  return "other";
}

struct Request {
  Method method = Method::other;
  std::string target;  // as sent
  std::string host;
  std::string origin;
  std::string authorization;
  std::string cookie;  // all of them
  std::string content_type;
  std::string accept_encoding;
  std::string last_event_id;
  std::string if_none_match;
  std::string body;
  std::vector<std::pair<std::string, std::string>>
      metadata;  // of calls of gRPC-Web, of browsers' questions and of upgrades: all headers, lower-case names
  bool keep_alive = true;
};

}  // namespace muster::http
