#include "fronts/http2/first_bytes.h"

#include <gtest/gtest.h>

#include "net/connection_testing.h"

namespace muster::http2 {
namespace {

constexpr std::string_view kPreface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

struct Heard {
  std::string bytes;
  int expired = 0;
  int finished = 0;
};

class Listening final : public net::Session {
 public:
  explicit Listening(Heard& heard) : heard_(heard) {}
  void received(std::string_view bytes) override { heard_.bytes.append(bytes); }
  void peer_finished() override { ++heard_.finished; }
  void read_expired() override { ++heard_.expired; }
  void drain() override {}
  void closed() override {}

 private:
  Heard& heard_;
};

class FirstBytesTest : public testing::Test {
 protected:
  Heard http1, http2;
  net::HeldConnection connection;
  std::shared_ptr<const Choice> choice =
      std::make_shared<const Choice>(Choice{.http1 = [this](net::Connection&) { return std::make_shared<Listening>(http1); },
                                            .http2 = [this](net::Connection&) { return std::make_shared<Listening>(http2); }});
};

TEST_F(FirstBytesTest, APrefaceIsHttp2HoweverItIsCut) {
  std::string whole(kPreface);
  whole.append("rest");
  for (std::size_t cut = 0; cut <= kPreface.size(); ++cut) {
    http2 = {};
    FirstBytes session(choice, connection);
    if (cut > 0) session.received(kPreface.substr(0, cut));
    session.received(std::string_view(whole).substr(cut));
    EXPECT_EQ(http2.bytes, whole) << cut;
  }
  EXPECT_EQ(http1.bytes, "");
}

TEST_F(FirstBytesTest, AnythingElseIsHttp1WithEveryByte) {
  for (const std::string_view text : {"GET / HTTP/1.1\r\n", "POST / HTTP/1.1\r\n", "PRI * HTTP/1.1\r\n", "P", "\r\n"}) {
    http1 = {};
    FirstBytes session(choice, connection);
    for (const char byte : text) session.received({&byte, 1});
    session.peer_finished();
    EXPECT_EQ(http1.bytes, text);
    EXPECT_EQ(http1.finished, 1);
  }
}

TEST_F(FirstBytesTest, ABeginningThatIsNeverFinishedIsHttp1sToJudge) {
  FirstBytes session(choice, connection);
  session.received("PRI");
  session.read_expired();
  EXPECT_EQ(http1.bytes, "PRI");
  EXPECT_EQ(http1.expired, 1);
}

TEST_F(FirstBytesTest, WithoutAnyBytesOrAnybodyToTakeThemTheConnectionEnds) {
  FirstBytes silent(choice, connection);
  silent.read_expired();
  EXPECT_TRUE(connection.closed);
  connection.closed = false;
  FirstBytes unwanted(std::make_shared<const Choice>(), connection);
  unwanted.received("GET / HTTP/1.1\r\n");
  EXPECT_TRUE(connection.closed);
}

}  // namespace
}  // namespace muster::http2
