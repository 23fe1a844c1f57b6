// One request and its way to one answer. Made by the dispatcher, owned by whoever answers it: an endpoint, then the reply that an
// endpoint left with the engine.
//
// An Exchange may outlive its connection: the answer is then dropped, and grants in it are handed back. One that is let go of
// without an answer, because something threw or forgot it, is answered as a mistake of ours, so that no client waits for ever.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/unique_function.h"
#include "command/context.h"
#include "fronts/http/auth.h"
#include "fronts/http/codec/events.h"
#include "fronts/http/request.h"
#include "fronts/http/response.h"
#include "fronts/http/target.h"
#include "fronts/http/upgrade.h"
#include "model/job.h"
#include "net/connection.h"

namespace muster::http {

class Core;
class ReturnPath;
struct Route;
struct EventFilter;

class Exchange {
 public:
  Exchange(std::shared_ptr<Core> core, std::weak_ptr<ReturnPath> session, std::uint64_t number, Request request);
  ~Exchange();
  Exchange(const Exchange&) = delete;
  Exchange& operator=(const Exchange&) = delete;

  Core& core() { return *core_; }
  const std::shared_ptr<Core>& shared_core() const { return core_; }  // for what outlives the exchange
  const Request& request() const { return request_; }
  const std::string& body() const { return request_.body; }
  const std::vector<QueryParameter>& query() const { return target.query; }
  Instant now() const;
  const std::string& peer_address() const { return peer_address_; }
  std::string_view name() const;  // of its route, for logs

  // Everything below runs on the loop's thread. Exactly one of the answers is given.

  // Sends the response. `grants` are handed back if it cannot be sent.
  void answer(Response response, std::vector<Grant> grants = {});
  void fail(const Status& status);
  void fail(unsigned http_status, const Status& status, std::vector<std::pair<std::string_view, std::string>> headers = {});
  // The connection leaves HTTP, if the handler takes it.
  void upgrade(const UpgradeHandler& handler);
  // Turns the connection into a stream of events.
  void stream(EventRequest request, std::uint64_t after);

  // Turns the connection into a stream that is another session's; `open` makes it, or says why not.
  using OpenStream = UniqueFunction<Result<std::shared_ptr<net::Session>>(net::Connection&)>;
  void stream(OpenStream open);

  // Runs `begin` when the connection has room for a long answer, which may be now; not at all when it ends before.
  void when_room(UniqueFunction<void()> begin);

  // The request waits; `give_up` ends the wait when its connection does.
  void wait_with(std::function<void()> give_up);
  // The same of one whose answer is being made, as far as anybody here knows.
  void cancel_with(std::function<void()> give_up);
  // The peer will not read an answer: do not give it anything that would be lost.
  bool peer_gone() const;

  // Filled in by the dispatcher on the way.
  Target target;
  std::vector<std::string> parameters;  // of the route's pattern, in order
  const Route* route = nullptr;
  Credential credential;
  bool origin_accepted = false;  // of the page that asks: it may read the answer

 private:
  void let_go();

  std::shared_ptr<Core> core_;
  std::weak_ptr<ReturnPath> session_;
  const std::uint64_t number_;
  Request request_;
  const Ticks started_;
  std::string peer_address_;
  bool answered_ = false;
};

using ExchangePtr = std::unique_ptr<Exchange>;

}  // namespace muster::http
