// One thread, one request at a time on each connection: what the library's own examples do.
#include "bench/http_bare.h"

#include <cstdio>
#include <memory>
#include <string>
#include <string_view>

#include <fmt/format.h>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http.hpp>

#include "bench/rig.h"

namespace muster::bench {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = boost::beast::http;
using asio::ip::tcp;

// What ours answers to each request of a life.
struct Answers {
  const std::string worker = R"({"id":"bench-0","session":1,"heartbeat_ms":600000,"dead_after_ms":1800000,"replaced":false})";
  const std::string submitted = R"({"id":"aa520dfa-640e-8a7e-8373-a964a9077653","state":"ready","existed":false})";
  const std::string claimed = fmt::format(
      R"({{"jobs":[{{"id":"aa520dfa-640e-8a7e-8373-a964a9077653","namespace":"default","queue":"default","type":"bench","payload":"{}",)"
      R"("labels":{{}},"attempt":1,"attempts_max":5,"priority":0,"fence":2,"lease_expires_at":"2026-11-18T14:08:46.089Z"}}],"block":"none"}})",
      std::string(kPayloadBytes - 2, 'p'));
  const std::string completed = R"({"id":"aa520dfa-640e-8a7e-8373-a964a9077653","state":"completed","attempt":1})";

  const std::string& to(std::string_view target) const {
    if (target == "/api/v1/workers") return worker;
    if (target == "/api/v1/jobs") return submitted;
    return target == "/api/v1/jobs/claim" ? claimed : completed;
  }
};

class Exchange : public std::enable_shared_from_this<Exchange> {
 public:
  Exchange(tcp::socket socket, const Answers& answers) : socket_(std::move(socket)), answers_(answers) {}

  void read() {
    request_ = {};
    http::async_read(socket_, buffer_, request_, [self = shared_from_this()](beast::error_code error, std::size_t) {
      if (!error) self->answer();
    });
  }

 private:
  void answer() {
    response_ = {http::status::ok, request_.version()};
    response_.set(http::field::date, "Wed, 18 Nov 2026 13:38:46 GMT");
    response_.set(http::field::content_type, "application/json");
    response_.body() = answers_.to({request_.target().data(), request_.target().size()});
    response_.keep_alive(true);
    response_.prepare_payload();
    http::async_write(socket_, response_, [self = shared_from_this()](beast::error_code error, std::size_t) {
      if (!error) self->read();
    });
  }

  tcp::socket socket_;
  const Answers& answers_;
  beast::flat_buffer buffer_;
  http::request<http::string_body> request_;
  http::response<http::string_body> response_;
};

void accept(tcp::acceptor& acceptor, const Answers& answers) {
  acceptor.async_accept([&acceptor, &answers](beast::error_code error, tcp::socket socket) {
    if (!error) {
      socket.set_option(tcp::no_delay(true));
      std::make_shared<Exchange>(std::move(socket), answers)->read();
    }
    accept(acceptor, answers);
  });
}

}  // namespace

int serve_bare_http() {
  const Answers answers;
  asio::io_context loop(1);
  tcp::acceptor acceptor(loop, tcp::endpoint(asio::ip::address_v4::loopback(), 0));
  acceptor.listen(asio::socket_base::max_listen_connections);
  accept(acceptor, answers);
  fmt::print("bare ready http=127.0.0.1:{}\n", acceptor.local_endpoint().port());
  std::fflush(stdout);
  loop.run();
  return 0;
}

}  // namespace muster::bench
