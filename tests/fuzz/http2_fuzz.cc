// A stream of bytes as an HTTP/2 connection, with streams that echo what they are sent: the first byte chooses how the stream is
// cut and whether answers wait, the second how little room the connection has. Every stream that was begun ends, what is held
// is let go of, and what is sent stays within its bound.
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "base/check.h"
#include "fronts/http2/session.h"
#include "net/connection_testing.h"
#include "tests/fuzz/resp_loop.h"

using namespace muster;

namespace {

constexpr std::string_view kPreface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
constexpr std::size_t kPiece = 7;

struct Count {
  int begun = 0;
  int closed = 0;
  bool waits = false;
};

class Echo final : public http2::Handler {
 public:
  Echo(Count& count, http2::Stream& stream) : count_(count), stream_(stream) { ++count_.begun; }
  void received(std::string_view bytes) override {
    body_.append(bytes);
    stream_.hold(body_.size());
  }
  void input_ended() override {
    if (!count_.waits) answer();
  }
  void answer() {
    const http2::Field field{"x", "y"};
    stream_.respond(200, {&field, 1});
    stream_.send(body_);
    stream_.finish({&field, 1});
  }
  void expired() override { stream_.reset(http2::Reset::cancel); }
  void closed() override { ++count_.closed; }

 private:
  Count& count_;
  http2::Stream& stream_;
  std::string body_;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  ManualClock clock;
  net::IoLoop loop(clock);
  net::HeldConnection connection;
  Count count;
  count.waits = (data[0] & 1) != 0;
  http2::Limits limits;
  limits.streams_max = 16;
  limits.header_list_bytes_max = 1'024;
  limits.unfinished_bytes_max = static_cast<std::size_t>(data[1]) * 16;
  const auto service = std::make_shared<const http2::Service>(
      http2::Service{.loop = loop,
                     .limits = limits,
                     .incidents = Incidents("wire"),
                     .serve = [&](http2::Stream& stream, const http2::Head& head) -> std::shared_ptr<http2::Handler> {
                       auto echo = std::make_shared<Echo>(count, stream);
                       if (head.ended && !count.waits) echo->answer();
                       return echo;
                     }});
  const auto session = std::make_shared<http2::Session>(service, connection);
  session->begin();
  if ((data[0] & 2) == 0) session->received(kPreface);
  std::string_view bytes(reinterpret_cast<const char*>(data) + 2, size - 2);
  const std::size_t piece = (data[0] & 4) != 0 ? kPiece : bytes.size();
  for (; !bytes.empty(); bytes.remove_prefix(std::min(piece, bytes.size()))) {
    session->received(bytes.substr(0, piece));
    if ((data[0] & 8) != 0) {
      clock.advance(Duration(1'000));
      session->read_expired();
    }
    connection.room = (data[0] & 16) == 0 || bytes.size() % 2 == 0;
    net::run_posted(loop, 8);
  }
  if ((data[0] & 32) != 0) session->drain();
  net::run_posted(loop, 8);
  session->closed();
  check(count.begun == count.closed, "every stream that was begun has ended");
  return 0;
}
