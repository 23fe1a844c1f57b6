// What every call passes on its way in, whichever transport brought it: the method it names, who calls, whether it may, and how
// many are open. The front owns one; it is used from any thread.
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/incident.h"
#include "base/status.h"
#include "base/uuid.h"
#include "fronts/auth/authenticator.h"
#include "fronts/grpc/catalogue.h"
#include "fronts/grpc/core.h"

namespace muster::rpc {

class LiveCall;

using Metadata = std::vector<std::pair<std::string, std::string>>;  // lower-case names

inline constexpr std::size_t kCorrelationBytesMax = 128;  // a longer one is cut

class CallGate {
 public:
  CallGate(net::IoLoop& loop, command::Door& door, Metrics& metrics, GrpcOptions options);

  const Incidents incidents;
  Core core;
  const Catalogue catalogue;

  // Bytes of a message to it; anybody may send one to those that are open.
  std::size_t message_bytes_max(const Entry& entry) const {
    return entry.open() ? kOpenMessageBytesMax : core.options.limits.message_bytes_max;
  }

  // unauthenticated, exhausted (the address has to wait): as in fronts/auth/. An authorization that is empty is none.
  // The same for a method: those that are open to all take no token.
  Result<auth::Credential> admit(const Entry& entry, std::string_view authorization, const std::string& address);
  Result<auth::Credential> authenticate(std::string_view authorization, const std::string& address);
  bool still_valid(const auth::Credential& credential);  // it would be let in now as well
  void set_tokens(const auth::AuthOptions& tokens);

  // Counts a call in. exhausted: calls_max. unavailable: the front stops. Call close_call() once for every open one.
  Status open_call();
  void close_call();

  // The same for streams of Health/Watch, which anybody may open: they have bounds of their own and take no call's place.
  Status open_watch(const std::string& address);
  void close_watch(const std::string& address);

  // A call's name for the logs: x-correlation-id, else the trace id of traceparent, else one that nobody gave.
  std::string correlation_of(const Metadata& received);

  // Streams that are open, and hear when the front stops. On the loop's thread.
  void add_stream(StreamMethod& stream) { streams_.insert(&stream); }
  void remove_stream(StreamMethod& stream) { streams_.erase(&stream); }
  void stop_streams();

  // Calls that wait and can be told to stop waiting. False: the front stops, do not wait.
  bool add_waiting(LiveCall& call, std::weak_ptr<Call> handle);
  void remove_waiting(LiveCall& call);
  // Nothing is begun any more, and everybody who waits is told to try elsewhere.
  void stop_waiting();

 private:
  const std::shared_ptr<auth::Brake> brake_;  // shared with the other fronts
  std::mutex auth_mutex_;                     // guards the authenticator; the brake's is taken inside
  auth::Authenticator authenticator_;
  std::atomic<bool> token_needed_;
  std::atomic<std::size_t> open_{0};
  Gauge& open_gauge_;
  UuidSource correlations_;
  std::mutex watches_mutex_;                              // leaf; guards what follows
  std::unordered_map<std::string, std::size_t> watches_;  // by address
  std::size_t watches_open_ = 0;
  std::mutex waiting_mutex_;  // leaf
  std::unordered_map<LiveCall*, std::weak_ptr<Call>> waiting_;
  std::set<StreamMethod*> streams_;
};

}  // namespace muster::rpc
