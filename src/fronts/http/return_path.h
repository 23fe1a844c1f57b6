// Where an exchange came from and where its answer goes: a connection of HTTP/1.1, or a stream of HTTP/2. On the loop's thread.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/unique_function.h"
#include "fronts/http/auth.h"
#include "fronts/http/codec/events.h"
#include "fronts/http/response.h"
#include "fronts/http/upgrade.h"
#include "model/job.h"
#include "net/connection.h"

namespace muster::http {

class ReturnPath {
 public:
  virtual ~ReturnPath() = default;

  struct Outcome {
    Response response;
    std::vector<Grant> grants;  // handed back when the response cannot be sent
    bool head_only = false;
    bool gzip_allowed = false;
  };
  struct StreamStart {
    Response response;
    EventFilter filter;
    std::uint64_t after = 0;
    Duration pace{};
    Credential credential;
    bool head_only = false;
  };

  // `number` tells requests of one connection apart; it is the one the exchange was made for.
  virtual void answer(std::uint64_t number, Outcome outcome) = 0;
  virtual void stream(std::uint64_t number, StreamStart start) = 0;

  // The connection as it is, for one that leaves HTTP; nullptr: it cannot.
  virtual net::Connection* to_itself(std::uint64_t number) = 0;
  // From the next byte on the connection is another session's. REQUIRES: to_itself().
  virtual void become(UpgradeTaken taken) = 0;
  // What a stream of bytes without an end is sent on; nullptr: there is no such thing here now.
  virtual net::Connection* to_stream_on(std::uint64_t number) = 0;
  // Sends the head; what follows is the session's. REQUIRES: to_stream_on().
  virtual void become_stream(const Response& head, std::shared_ptr<net::Session> session) = 0;

  // Runs `begin` when no other request before it may still be answered at length and the connection has room.
  virtual void begin_long(std::uint64_t number, UniqueFunction<void()> begin) = 0;
  // `give_up` runs when the peer goes or the server stops. `parked`: nothing is made of the answer until something happens.
  virtual void wait_with(std::uint64_t number, std::function<void()> give_up, bool parked) = 0;
  virtual bool peer_gone() const = 0;
  virtual const std::string& peer_address() const = 0;
};

}  // namespace muster::http
