// Calls of another protocol that come in over HTTP: gRPC-Web. The front takes them apart and puts answers together; who carries
// them out is given by the server (HttpFront::set_rpc).
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/status.h"
#include "base/unique_function.h"
#include "command/context.h"
#include "fronts/http/exchange.h"

namespace muster::http {

using RpcMetadata = std::vector<std::pair<std::string, std::string>>;  // lower-case names

struct RpcRequest {
  std::string path;  // "/package.Service/Method"
  std::string message;
  RpcMetadata metadata;
  std::string timeout;  // the client's, in gRPC's words; empty: none
  command::Caller caller;
  Status refused;  // not ok: it is to be refused for this
};

struct RpcAnswer {
  int code = 0;         // gRPC's number
  std::string message;  // of an error
  std::string details;  // of an error, any bytes
  std::string response;
  RpcMetadata metadata;
};

// Carries a call out: replies once, on any thread, and returns what to call when the client goes away.
using RpcHandler = std::function<UniqueFunction<void()>(RpcRequest, UniqueFunction<void(RpcAnswer)>)>;
// Whether the method at a path may answer with megabytes.
using RpcAnswersMuch = std::function<bool(std::string_view path)>;

// "/package.Service/Method", whatever the method of HTTP.
bool is_rpc_path(const Target& target);
// Answers a call, or a browser's question whether it may make one. On the loop's thread. REQUIRES: core.rpc is set.
void serve_rpc(ExchangePtr exchange, Status authenticated);
void answer_rpc_preflight(Exchange& exchange);

}  // namespace muster::http
