// One thread, one message at a time on each connection: what the library's own examples do.
#include "bench/ws/bare.h"

#include <cstdio>
#include <deque>
#include <memory>
#include <string>

#include <fmt/format.h>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/websocket.hpp>

#include "bench/ws/frames.h"

namespace muster::bench::ws {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
using asio::ip::tcp;

class Exchange : public std::enable_shared_from_this<Exchange> {
 public:
  Exchange(tcp::socket socket, std::size_t depth) : stream_(std::move(socket)), depth_(depth) {}

  void start() {
    stream_.text(true);
    stream_.async_accept([self = shared_from_this()](beast::error_code error) {
      if (!error) self->read();
    });
  }

 private:
  void read() {
    stream_.async_read(buffer_, [self = shared_from_this()](beast::error_code error, std::size_t) {
      if (error) return;
      self->judge();
      self->buffer_.consume(self->buffer_.size());
      self->read();
    });
  }

  // Handshake and register, and from then on an ack of a dispatch and its result in turns, whatever their order is.
  void judge() {
    ++messages_;
    if (messages_ == 1) return say(scheduler_ack(0));
    if (messages_ == 2) {
      say(scheduler_ack(0));
      say(scheduler_accept());
      for (std::size_t i = 0; i < depth_; ++i) say(scheduler_dispatch(++dispatched_));
      return;
    }
    constexpr std::string_view kResult = R"({"type": "biz.exec.result")";
    const auto bytes = buffer_.cdata();
    const std::string_view text(static_cast<const char*>(bytes.data()), bytes.size());
    if (!text.starts_with(kResult)) return;
    say(scheduler_ack(++results_));
    say(scheduler_dispatch(++dispatched_));
  }

  void say(std::string text) {
    out_.push_back(std::move(text));
    if (out_.size() == 1) write();
  }

  void write() {
    stream_.async_write(asio::buffer(out_.front()), [self = shared_from_this()](beast::error_code error, std::size_t) {
      if (error) return;
      self->out_.pop_front();
      if (!self->out_.empty()) self->write();
    });
  }

  beast::websocket::stream<tcp::socket> stream_;
  beast::flat_buffer buffer_;
  std::deque<std::string> out_;
  const std::size_t depth_;
  std::uint64_t messages_ = 0;
  std::uint64_t dispatched_ = 0;
  std::uint64_t results_ = 0;
};

void accept(tcp::acceptor& acceptor, std::size_t depth) {
  acceptor.async_accept([&acceptor, depth](beast::error_code error, tcp::socket socket) {
    if (!error) {
      socket.set_option(tcp::no_delay(true));
      std::make_shared<Exchange>(std::move(socket), depth)->start();
    }
    accept(acceptor, depth);
  });
}

}  // namespace

int serve_bare(std::size_t depth) {
  asio::io_context loop(1);
  tcp::acceptor acceptor(loop, tcp::endpoint(asio::ip::address_v4::loopback(), 0));
  acceptor.listen(asio::socket_base::max_listen_connections);
  accept(acceptor, depth);
  fmt::print("bare ready ws=127.0.0.1:{}\n", acceptor.local_endpoint().port());
  std::fflush(stdout);
  loop.run();
  return 0;
}

}  // namespace muster::bench::ws
