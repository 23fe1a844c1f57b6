// Calls that arrive without gRPC's own transport: gRPC-Web through the HTTP front. server/ hands them from one to the other, and
// neither front knows the other's types.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/status.h"
#include "base/unique_function.h"
#include "command/context.h"
#include "fronts/grpc/call.h"

namespace muster::rpc {

struct WebRequest {
  std::string path;  // "/kagzi.v1.AdminService/GetStats"
  std::string message;
  std::vector<std::pair<std::string, std::string>> metadata;  // lower-case names
  std::optional<Duration> timeout;                            // the client's
  command::Caller caller;                                     // authenticated by whoever brings it
  Status refused;                                             // not ok: it is to be refused for this, in the method's words
};

struct WebAnswer {
  WireCode code = WireCode::ok;
  std::string response;  // of an ok
  std::string message;
  std::string details;
  std::vector<std::pair<std::string, std::string>> metadata;
};

// The client's timeout as its header says it: "10S", "1500m". Nothing: there is none.
std::optional<Duration> parse_timeout(std::string_view text);

using WebReply = UniqueFunction<void(WebAnswer)>;  // called once, on any thread
using WebCancel = UniqueFunction<void()>;          // the client went away; after the answer it does nothing

}  // namespace muster::rpc
