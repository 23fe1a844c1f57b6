// Tells HTTP/2 from HTTP/1.1 on one port: a connection whose first bytes are HTTP/2's preface is given to one session, any other
// to the other. It makes no difference whether TLS is below: a peer that chose h2 there begins with the preface too.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "net/connection.h"

namespace muster::http2 {

using MakeSession = std::function<std::shared_ptr<net::Session>(net::Connection&)>;

// Which session a connection gets. Either may be empty: such a connection is closed.
struct Choice {
  MakeSession http1;
  MakeSession http2;
  Duration patience{10'000};  // for the first bytes
};

class FirstBytes final : public net::Session {
 public:
  // `choice` is shared by all connections of a listener.
  FirstBytes(std::shared_ptr<const Choice> choice, net::Connection& connection);

  void received(std::string_view bytes) override;
  void peer_finished() override;
  void read_expired() override;
  void output_drained() override;
  void drain() override;
  void closed() override;

 private:
  bool become(const MakeSession& make);  // false: closed

  const std::shared_ptr<const Choice> choice_;
  net::Connection& connection_;
  std::string seen_;                      // the beginning of a preface, perhaps
  std::shared_ptr<net::Session> chosen_;  // set: everything is its
};

}  // namespace muster::http2
