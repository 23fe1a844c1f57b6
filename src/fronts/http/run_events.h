// Streams of what happens to AstraFlow's runs and workers. Whose they are is given by the server (HttpFront::set_run_events).
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/status.h"
#include "fronts/http/auth.h"
#include "fronts/http/target.h"
#include "model/ids.h"
#include "net/connection.h"

namespace muster::http {

struct RunEventsAsked {
  NamespaceName ns{kDefaultNamespace};
  std::string client;         // clientSessionId
  std::string last_event_id;  // of the header, else of the query
  Credential credential{};
};

// On the loop's thread.
struct RunEventsHandler {
  // The new session of the connection, which begins when the head of the response has gone.
  std::function<Result<std::shared_ptr<net::Session>>(RunEventsAsked, net::Connection&)> open;
  // Ends the streams of those who would not be let in any more.
  std::function<void(const std::function<bool(const Credential&)>& still_valid)> revoke;
};

Result<RunEventsAsked> decode_run_events(const std::vector<QueryParameter>& query, const std::string& last_event_id);

}  // namespace muster::http
