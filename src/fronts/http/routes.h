// The table of docs/protocol-http.md: method, path, command, codec. Everything the front can be asked for is a row here.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "command/spec.h"
#include "fronts/http/exchange.h"
#include "fronts/http/request.h"

namespace muster::http {

using Endpoint = void (*)(ExchangePtr exchange);

// Rows without a command say who may ask. A probe is everybody, and is told more with a token.
enum class Access : std::uint8_t { by_command, reader, everybody, probe };

struct Route {
  Method method;
  std::string_view pattern;      // "/api/v1/jobs/{id}/why"
  const command::Spec* command;  // null: not a command (metrics, health, events, documents)
  Access access;
  Endpoint endpoint;
  bool answers_much = false;  // megabytes, maybe: a connection has one such request under way at a time
};

std::span<const Route> routes();

struct Match {
  const Route* route = nullptr;
  std::vector<std::string> parameters;
  std::string allow;  // methods of the path, when the path is known: "GET, HEAD, OPTIONS, POST"
};

// GET routes also answer HEAD.
Match match(Method method, const std::vector<std::string>& segments);

}  // namespace muster::http
