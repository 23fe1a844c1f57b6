// Frames on a real socket: the cases of the dialect by their ids, byte for byte.
#include "fronts/resp/front_testing.h"

namespace muster::resp {
namespace {

const std::string kNoAuthReply = "-ERR NOAUTH Authentication required\r\n";
const std::string kPing = "*1\r\n$4\r\nPING\r\n";

class FrontWireTest : public FrontTest {
 protected:
  void SetUp() override { start(); }
  // Sends, and wants exactly this and an open connection.
  void expect_stays(Wire& wire, const std::string& sent, const std::string& expected) {
    wire.send(sent);
    EXPECT_EQ(wire.read(expected.size()), expected) << sent;
  }
  void expect_closes(const std::string& sent, const std::string& expected) {
    Wire wire = connect();
    wire.send(sent);
    EXPECT_EQ(wire.read_to_end(), expected) << sent;
  }
};

TEST_F(FrontWireTest, A1ToA8AuthenticationComesFirst) {
  const std::string auth = frame({"AUTH", kTestKey});
  {
    Wire wire = connect();
    expect_stays(wire, auth, "+OK\r\n");  // A1
    expect_stays(wire, frame({"AUTH", "wrongkey"}), "-ERR Invalid authentication key\r\n");
    expect_stays(wire, kPing, "+PONG\r\n");  // a failed AUTH takes nothing away
  }
  Wire wire = connect();
  expect_stays(wire, frame({"AUTH"}), "-ERR AUTH requires exactly one argument\r\n");  // A2
  expect_stays(wire, frame({"AUTH", "a", "b", "c"}), "-ERR AUTH requires exactly one argument\r\n");
  expect_stays(wire, frame({"AUTH", ""}), "-ERR AUTH key cannot be empty\r\n");
  expect_stays(wire, "*2\r\n$4\r\nAUTH\r\n:5\r\n", "-ERR AUTH key must be a bulk string\r\n");
  expect_stays(wire, "*2\r\n$4\r\nAUTH\r\n$-1\r\n", "-ERR AUTH key must be a bulk string\r\n");
  expect_stays(wire, frame({"AUTH", "wrongkey"}), "-ERR Invalid authentication key\r\n");  // A4
  expect_stays(wire, kPing, kNoAuthReply);                                                 // A5
  expect_stays(wire, frame({"NO.SUCH"}), kNoAuthReply);
  expect_stays(wire, frame({"HELLO"}), kNoAuthReply);
  expect_stays(wire, frame({"HELLO", "3"}), kNoAuthReply);
  expect_stays(wire,
               frame({"CLIENT", "SETINFO", "LIB-NAME", "redis-rs"}) + frame({"CLIENT", "SETINFO", "LIB-VER", "0.24.0"}),  // A7
               kNoAuthReply + kNoAuthReply);
  expect_stays(wire, frame({"COMMAND", "DOCS"}) + auth + kPing, kNoAuthReply + "+OK\r\n+PONG\r\n");  // A8
}

TEST_F(FrontWireTest, P1ToP5SmallTalk) {
  Wire wire = operate();
  expect_stays(wire, kPing, "+PONG\r\n");
  expect_stays(wire, frame({"ping"}), "+PONG\r\n");
  expect_stays(wire, frame({"PING", "a", "b"}), "-ERR PING accepts 0 or 1 arguments\r\n");
  expect_stays(wire, frame({"UNKNOWN"}), "-ERR unknown command 'UNKNOWN'\r\n");
  expect_stays(wire, frame({"unknown"}), "-ERR unknown command 'UNKNOWN'\r\n");
  expect_stays(wire, frame({"plan.x"}), "-ERR Protocol error: Unknown PLAN command: PLAN.X\r\n");
  expect_stays(wire, frame({"ACTION.X"}), "-ERR Protocol error: Unknown ACTION command: ACTION.X\r\n");
  expect_stays(wire, frame({"MONITOR"}) + frame({"XADD", "s", "*", "f", "v"}),
               "-ERR unknown command 'MONITOR'\r\n"
               "-ERR unknown command 'XADD': streams are not known here; docs/protocol-resp.md has what is\r\n");
  expect_stays(wire, frame({"bad\r\nname"}), "-ERR unknown command 'BAD  NAME'\r\n");
}

TEST_F(FrontWireTest, M1ToM6AndM20AreAnsweredAndTheConnectionStays) {
  const std::string no_array = "-ERR Protocol error: Expected array with at least one element\r\n";
  const std::string no_bulk = "-ERR Protocol error: Expected bulk string\r\n";
  const std::string no_utf8 = "-ERR Protocol error: Invalid UTF-8 in bulk string\r\n";
  Wire known = operate();
  Wire unknown = connect();
  for (Wire* wire : {&known, &unknown}) {
    expect_stays(*wire, "*0\r\n", no_array);
    expect_stays(*wire, "+PING\r\n", no_array);
    expect_stays(*wire, "$4\r\nPING\r\n", no_array);
    expect_stays(*wire, "*1\r\n*1\r\n$4\r\nPING\r\n", no_bulk);
    expect_stays(*wire, "*1\r\n:1\r\n", no_bulk);
    expect_stays(*wire, "*1\r\n$2\r\n\xff\xfe\r\n", no_utf8);
  }
  expect_stays(known, "*2\r\n$4\r\nECHO\r\n$-1\r\n", no_bulk);
  expect_stays(known, kPing, "+PONG\r\n");
}

TEST_F(FrontWireTest, M7ToM14AreToldAndClosed) {
  expect_closes("*abc\r\n", "-ERR Protocol error: Invalid array size\r\n");
  expect_closes("*-1\r\n", "-ERR Protocol error: Invalid array size\r\n");
  expect_closes("*1\r\n$-2\r\n", "-ERR Protocol error: Invalid bulk string size\r\n");
  expect_closes("*1\r\n$4\r\nPINGxx", "-ERR Protocol error: Invalid CRLF\r\n");
  expect_closes("*2\r\n$4\r\nAUTH\r\n$2097152\r\n", "-ERR Message too large\r\n");
  expect_closes("*1025\r\n", "-ERR Protocol error: Array size 1025 exceeds maximum 1024\r\n");
  expect_closes("*1\r\n!x\r\n", "-ERR Protocol error: Unknown RESP type: 33\r\n");
  std::string deep;
  for (int i = 0; i < 100'000; ++i) deep += "*1\r\n";
  expect_closes(deep, "-ERR Protocol error: Nesting exceeds maximum 7\r\n");
  // What came before is answered before.
  expect_closes(frame({"AUTH", kTestKey}) + kPing + "*x", "+OK\r\n+PONG\r\n-ERR Protocol error: Invalid array size\r\n");
}

TEST_F(FrontWireTest, M16AndM17PiecesReadLikeTheWhole) {
  Wire wire = operate();
  for (const char byte : kPing) wire.send(std::string_view(&byte, 1));
  EXPECT_EQ(wire.read(7), "+PONG\r\n");
  wire.send(kPing + kPing + "*1\r\n$4\r");
  EXPECT_EQ(wire.read(14), "+PONG\r\n+PONG\r\n");
  EXPECT_FALSE(wire.answered());
  wire.send("\nPING\r\n");
  EXPECT_EQ(wire.read(7), "+PONG\r\n");
}

TEST_F(FrontWireTest, M18InlineCommandsWorkAsPeopleTypeThem) {
  Wire wire = connect();
  expect_stays(wire, "PING\r\n", kNoAuthReply);
  expect_stays(wire, "AUTH " + kTestKey + "\r\n", "+OK\r\n");
  expect_stays(wire, "echo \"two words\"\n", "$9\r\ntwo words\r\n");
  expect_stays(wire, "\r\nPING\r\n", "+PONG\r\n");
}

TEST_F(FrontWireTest, M19ABrowserGetsNothing) {
  Wire wire = connect();
  wire.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_TRUE(wire.closed());
}

TEST_F(FrontWireTest, TheSizeOfAMessageIsJudgedByWhoSendsIt) {
  Wire wire = connect();
  // An AUTH and a large command behind it in one breath: the second is judged by the outcome of the first.
  const std::string large(1'000'000, 'x');
  wire.send(frame({"AUTH", kTestKey}) + frame({"ECHO", large}));
  EXPECT_EQ(wire.read(5), "+OK\r\n");
  EXPECT_EQ(wire.read_reply(), "$1000000\r\n" + large + "\r\n");
  wire.send("*2\r\n$4\r\nECHO\r\n$10485761\r\n");
  EXPECT_EQ(wire.read_to_end(), "-ERR Message too large\r\n");
}

TEST_F(FrontWireTest, AThousandCommandsInOneBreathAreAnsweredInOrder) {
  Wire wire = operate();
  std::string sent;
  std::string expected;
  for (int i = 0; i < 20'000; ++i) {
    const std::string word = std::to_string(i);
    sent += frame({"ECHO", word});
    expected += "$" + std::to_string(word.size()) + "\r\n" + word + "\r\n";
  }
  std::thread writer([&] { wire.send(sent); });
  EXPECT_EQ(wire.read(expected.size()), expected);
  writer.join();
}

TEST_F(FrontWireTest, QuitAnswersAndCloses) {
  Wire wire = operate();
  wire.send(kPing + frame({"QUIT"}) + kPing);
  EXPECT_EQ(wire.read_to_end(), "+PONG\r\n+OK\r\n");
}

TEST_F(FrontWireTest, AClientThatFinishedSendingStillGetsItsAnswers) {
  Wire wire = operate();
  wire.send(kPing + frame({"INFO", "clients"}) + kPing);
  wire.finish_sending();
  const std::string got = wire.read_to_end();
  EXPECT_TRUE(got.starts_with("+PONG\r\n$")) << got;
  EXPECT_TRUE(got.ends_with("+PONG\r\n")) << got;
}

TEST_F(FrontWireTest, ElevenHundredShortConnectionsAllSucceed) {
  for (int i = 0; i < 1'100; ++i) {
    Wire wire = connect();
    ASSERT_EQ(wire.call({"AUTH", kTestKey}), "+OK\r\n") << i;
    ASSERT_EQ(wire.call({"PING"}), "+PONG\r\n") << i;
  }
}

}  // namespace
}  // namespace muster::resp
