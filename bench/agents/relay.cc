#include "bench/agents/relay.h"

#include <array>
#include <cstdio>
#include <memory>

#include <fmt/format.h>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/write.hpp>

namespace muster::bench::agents {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;

class Pair : public std::enable_shared_from_this<Pair> {
 public:
  Pair(tcp::socket near, tcp::socket far) : ways_{Way{std::move(near)}, Way{std::move(far)}} {}

  void start(const tcp::endpoint& target) {
    ways_[1].from.async_connect(target, [self = shared_from_this()](boost::system::error_code error) {
      if (error) return;
      for (Way& way : self->ways_) way.from.set_option(tcp::no_delay(true));
      self->pass(0);
      self->pass(1);
    });
  }

 private:
  struct Way {
    tcp::socket from;
    std::array<char, 16 * 1024> bytes{};
  };

  void pass(std::size_t way) {
    Way& one = ways_[way];
    one.from.async_read_some(asio::buffer(one.bytes),
                             [self = shared_from_this(), way](boost::system::error_code error, std::size_t got) {
                               tcp::socket& to = self->ways_[1 - way].from;
                               boost::system::error_code ignored;
                               if (error) {
                                 to.shutdown(tcp::socket::shutdown_send, ignored);
                                 return;
                               }
                               asio::async_write(to, asio::buffer(self->ways_[way].bytes, got),
                                                 [self, way](boost::system::error_code failed, std::size_t) {
                                                   if (!failed) self->pass(way);
                                                 });
                             });
  }

  std::array<Way, 2> ways_;
};

void accept(asio::io_context& context, tcp::acceptor& acceptor, const tcp::endpoint& target) {
  acceptor.async_accept([&context, &acceptor, target](boost::system::error_code error, tcp::socket socket) {
    if (!error) std::make_shared<Pair>(std::move(socket), tcp::socket(context))->start(target);
    accept(context, acceptor, target);
  });
}

}  // namespace

int serve_relay(int port) {
  asio::io_context context(1);
  const auto loopback = asio::ip::address_v4::loopback();
  tcp::acceptor acceptor(context, tcp::endpoint(loopback, 0));
  accept(context, acceptor, tcp::endpoint(loopback, static_cast<std::uint16_t>(port)));
  fmt::print("ready http=127.0.0.1:{}\n", acceptor.local_endpoint().port());
  std::fflush(stdout);
  context.run();
  return 0;
}

}  // namespace muster::bench::agents
