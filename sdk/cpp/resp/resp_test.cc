// The client's own halves: replies out of bytes however they are cut, addresses, and a conversation over a socket pair of our
// own.
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <thread>

#include "sdk/cpp/resp/client.h"

namespace muster::sdk::resp {
namespace {

using namespace std::chrono_literals;

std::string shown(const Value& value) {
  switch (value.kind) {
    case Value::Kind::nil: return "nil";
    case Value::Kind::simple: return "+" + value.text;
    case Value::Kind::error: return "-" + value.text;
    case Value::Kind::integer: return std::to_string(value.number);
    case Value::Kind::text: return "'" + value.text + "'";
    case Value::Kind::array:
    case Value::Kind::push: break;
  }
  std::string out = value.kind == Value::Kind::push ? ">[" : "[";
  for (const Value& item : value.items) out += shown(item) + " ";
  return out + "]";
}

std::string parsed(std::string_view bytes, std::size_t step) {
  Parser parser;
  std::string out;
  for (std::size_t at = 0; at < bytes.size(); at += step) {
    parser.feed(bytes.substr(at, step));
    while (true) {
      auto value = parser.next();
      if (!value.ok()) return out + "! " + value.error().detail;
      if (!value->has_value()) break;
      out += shown(**value) + ";";
    }
  }
  return out + (parser.empty() ? "" : "...");
}

TEST(RespReplies, ReadBothProtocolVersionsHoweverTheyAreCut) {
  const std::string bytes =
      "+OK\r\n-ERR no\r\n:-7\r\n$5\r\nab\r\nc\r\n$-1\r\n*-1\r\n*2\r\n:1\r\n*1\r\n$0\r\n\r\n_\r\n#t\r\n,1.5\r\n=7\r\ntxt:abc\r\n"
      "%1\r\n+k\r\n:2\r\n~1\r\n+s\r\n>2\r\n+worker.verify\r\n$4\r\nsort\r\n!3\r\nbad\r\n|1\r\n+ttl\r\n:9\r\n+after\r\n";
  const std::string expected =
      "+OK;-ERR no;-7;'ab\r\nc';nil;nil;[1 ['' ] ];nil;1;'1.5';'abc';[+k 2 ];[+s ];>[+worker.verify 'sort' ];-bad;+after;";
  for (std::size_t step = 1; step < bytes.size(); step += 3) EXPECT_EQ(parsed(bytes, step), expected) << step;
}

TEST(RespReplies, WaitForTheRest) { EXPECT_EQ(parsed("+OK\r\n$5\r\nabc", 4), "+OK;..."); }

TEST(RespReplies, RefuseWhatIsNoRespOrTooMuch) {
  EXPECT_EQ(parsed("HTTP/1.1 400\r\n", 64), "! a reply of an unknown type: is this a RESP server?");
  EXPECT_EQ(parsed("$999999999999\r\n", 64), "! a bulk string of 999999999999 bytes, more than 67108864");
  EXPECT_EQ(parsed("*9999999\r\n", 64), "! an array of 9999999 elements, more than 1000000");
  EXPECT_EQ(parsed("$-2\r\n", 64), "! a bulk string of no length");
  EXPECT_EQ(parsed("$1\r\nabc\r\n", 64), "! a bulk string that does not end where it said");
  std::string deep;
  for (int i = 0; i < 40; ++i) deep += "*1\r\n";
  EXPECT_EQ(parsed(deep, 1024), "! arrays nested deeper than 16");
}

TEST(RespAddresses, AcceptEveryFormAndNameWhatIsWrong) {
  const auto text = [](std::string_view address) {
    const auto parsed_address = parse_address(address);
    return parsed_address.ok() ? parsed_address->text() : parsed_address.error().detail;
  };
  EXPECT_EQ(text("127.0.0.1:6380"), "127.0.0.1:6380");
  EXPECT_EQ(text("resp://host:1"), "host:1");
  EXPECT_EQ(text("resps://host:1"), "resps://host:1");
  EXPECT_EQ(text("[::1]:6380"), "[::1]:6380");
  EXPECT_EQ(text("unix:/run/muster.sock"), "unix:/run/muster.sock");
  for (const char* wrong :
       {"", "host", "host:", "host:0", "host:70000", "host:x", ":1", "::1:6380", "[::1]", "unix:", "http://host:1", "grpc://h:1"})
    EXPECT_FALSE(parse_address(wrong).ok()) << wrong;
}

// Accepts one connection after another; each gets the next script: what to send, whatever was asked. Then it says that no more
// will come, unless the script ends in `~`.
class Talker {
 public:
  explicit Talker(std::vector<std::string> scripts) : fd_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in to{};
    to.sin_family = AF_INET;
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof to;
    EXPECT_EQ(::bind(fd_, reinterpret_cast<sockaddr*>(&to), size), 0);
    EXPECT_EQ(::listen(fd_, 8), 0);
    EXPECT_EQ(::getsockname(fd_, reinterpret_cast<sockaddr*>(&to), &size), 0);
    address.host = "127.0.0.1";
    address.port = ntohs(to.sin_port);
    thread_ = std::thread([this, scripts = std::move(scripts)] {
      for (std::string script : scripts) {
        const bool holds = script.ends_with('~');
        if (holds) script.pop_back();
        const int peer = ::accept(fd_, nullptr, nullptr);
        char first = 0;
        EXPECT_EQ(::recv(peer, &first, 1, MSG_PEEK), 1);
        EXPECT_EQ(::send(peer, script.data(), script.size(), MSG_NOSIGNAL), static_cast<ssize_t>(script.size()));
        if (!holds) ::shutdown(peer, SHUT_WR);
        while (true) {
          std::array<char, 4096> chunk{};
          const ssize_t got = ::recv(peer, chunk.data(), chunk.size(), 0);
          if (got <= 0) break;
          heard.append(chunk.data(), static_cast<std::size_t>(got));
        }
        ::close(peer);
      }
    });
  }
  ~Talker() {
    join();
    ::close(fd_);
  }
  void join() {
    if (thread_.joinable()) thread_.join();
  }

  Address address;
  std::string heard;

 private:
  int fd_;
  std::thread thread_;
};

TEST(RespClient, AuthenticatesAsItsWorkerAndAsksForResp3) {
  Talker talker({"+OK\r\n%0\r\n+PONG\r\n"});
  {
    Client client({.address = talker.address, .user = "w-1", .key = "k", .resp3 = true});
    const auto reply = client.call({"PING"});
    ASSERT_TRUE(reply.ok());
    EXPECT_EQ(reply->text, "PONG");
    EXPECT_TRUE(client.speaks_resp3());
  }
  talker.join();
  EXPECT_EQ(talker.heard, "*3\r\n$4\r\nAUTH\r\n$3\r\nw-1\r\n$1\r\nk\r\n*2\r\n$5\r\nHELLO\r\n$1\r\n3\r\n*1\r\n$4\r\nPING\r\n");
}

TEST(RespClient, FallsBackToOnePartAuthAndResp2) {
  Talker talker({"-ERR AUTH requires exactly one argument\r\n+OK\r\n-ERR unknown command 'HELLO'\r\n+PONG\r\n"});
  Client client({.address = talker.address, .user = "w-1", .key = "k", .resp3 = true});
  EXPECT_TRUE(client.call({"PING"}).ok());
  EXPECT_FALSE(client.speaks_resp3());
  client.close();
}

TEST(RespClient, SaysThatTheKeyWasRefused) {
  Talker talker({"-ERR Invalid authentication key\r\n"});
  Client client({.address = talker.address, .key = "k"});
  const auto reply = client.call({"PING"});
  ASSERT_FALSE(reply.ok());
  EXPECT_EQ(reply.error().code, Code::unauthenticated);
  EXPECT_EQ(reply.error().detail, "ERR Invalid authentication key");
}

TEST(RespClient, ConnectsAgainAfterTheServerClosed) {
  Talker talker({"+one\r\n", "+two\r\n"});
  Client client({.address = talker.address});
  EXPECT_EQ(client.call({"PING"})->text, "one");
  const auto lost = client.call({"PING"});
  ASSERT_FALSE(lost.ok());
  EXPECT_EQ(lost.error().code, Code::outcome_unknown);
  EXPECT_EQ(client.call({"PING"})->text, "two");
  client.close();
}

TEST(RespClient, GivesPushesToTheirHandlerBetweenReplies) {
  Talker talker({">1\r\n+early\r\n+PONG\r\n>1\r\n+late\r\n"});
  Client client({.address = talker.address});
  std::string pushed;
  client.on_push([&](const Value& value) { pushed += value.items[0].text + ";"; });
  EXPECT_EQ(client.call({"PING"})->text, "PONG");
  EXPECT_EQ(pushed, "early;");
  while (client.read_pushes().ok()) {
  }
  EXPECT_EQ(pushed, "early;late;");
}

TEST(RespClient, IsWokenWhileItWaits) {
  Talker talker({"+OK\r\n~"});
  Client client({.address = talker.address, .key = "k"});
  ASSERT_TRUE(client.connect().ok());
  client.wake();
  const auto woken = client.receive(1h);
  ASSERT_FALSE(woken.ok());
  EXPECT_EQ(woken.error().code, Code::interrupted);
  EXPECT_EQ(client.receive(0ms).error().code, Code::unavailable);  // one wake-up, one interruption
  EXPECT_TRUE(client.connected());
  client.close();
}

TEST(RespClient, SaysThatNobodyIsThere) {
  Client client({.address = {.host = "127.0.0.1", .port = 1}});
  const auto reply = client.call({"PING"});
  ASSERT_FALSE(reply.ok());
  EXPECT_EQ(reply.error().code, Code::unreachable);
}

}  // namespace
}  // namespace muster::sdk::resp
