// Texts and what any key understands, as bytes on the wire.
#include "fronts/resp/keyspace/keyspace_testing.h"

namespace muster::resp::keyspace {
namespace {

class TextsFront : public KeyspaceFrontTest {};

TEST_F(TextsFront, S1SetAndGet) {
  EXPECT_EQ(pipeline(*wire_, {{"SET", "mykey", "myvalue"}, {"GET", "mykey"}}), "+OK\r\n$7\r\nmyvalue\r\n");
}
TEST_F(TextsFront, S2AMissingKeyIsNull) { EXPECT_EQ(call({"GET", "nokey"}), kNull); }
TEST_F(TextsFront, S4S5S7S8) {
  EXPECT_EQ(call({"GET"}), error("GET requires exactly one argument"));
  EXPECT_EQ(call({"SET", "k", "v", "EX", "abc"}), error("EX value must be an integer"));
  EXPECT_EQ(pipeline(*wire_, {{"SET", "k", "v"}, {"TTL", "k"}, {"TTL", "none"}}), "+OK\r\n:-1\r\n:-2\r\n");
  EXPECT_EQ(pipeline(*wire_, {{"DEL", "none"}, {"EXISTS", "none"}}), ":0\r\n:0\r\n");
}

TEST_F(TextsFront, ArityIsToldInTheDialectsWords) {
  EXPECT_EQ(call({"GET", "a", "b"}), error("GET requires exactly one argument"));
  EXPECT_EQ(call({"SET", "a"}), error("SET requires at least two arguments"));
  EXPECT_EQ(call({"DEL"}), error("DEL requires exactly one argument"));
  EXPECT_EQ(call({"EXISTS"}), error("EXISTS requires exactly one argument"));
  EXPECT_EQ(call({"TTL", "a", "b"}), error("TTL requires exactly one argument"));
  EXPECT_EQ(call({"MGET"}), error("wrong number of arguments for 'mget' command"));
  EXPECT_EQ(call({"MSET", "a", "b", "c"}), error("wrong number of arguments for 'mset' command"));
}

TEST_F(TextsFront, SetUnderstandsItsOptions) {
  EXPECT_EQ(call({"set", "k", "v", "ex", "100"}), kOk);
  EXPECT_EQ(call({"TTL", "k"}), number(100));
  EXPECT_EQ(call({"SET", "k", "v", "PX", "1500"}), kOk);
  EXPECT_EQ(call({"PTTL", "k"}), number(1'500));
  EXPECT_EQ(call({"TTL", "k"}), number(2));
  EXPECT_EQ(call({"SET", "k", "w", "KEEPTTL"}), kOk);
  EXPECT_EQ(call({"PTTL", "k"}), number(1'500));
  EXPECT_EQ(call({"SET", "k", "x", "NX"}), kNull);
  EXPECT_EQ(call({"SET", "k", "x", "XX", "GET"}), bulk("w"));
  EXPECT_EQ(call({"SET", "n", "x", "XX"}), kNull);
  EXPECT_EQ(call({"SET", "n", "x", "GET"}), kNull);
  EXPECT_EQ(call({"SET", "k", "gone", "EX", "0"}), kOk);
  EXPECT_EQ(call({"GET", "k"}), kNull);
  EXPECT_EQ(call({"SET", "k", "gone", "EXAT", "1"}), kOk);
  EXPECT_EQ(call({"EXISTS", "k"}), number(0));
}

TEST_F(TextsFront, SetRefusesBadOptionsAndChangesNothing) {
  const std::vector<std::pair<Words, std::string>> cases{
      {{"EX"}, "EX requires a value"},
      {{"PXAT"}, "PXAT requires a value"},
      {{"EX", "-1"}, "EX value must be an integer"},
      {{"EX", "1.5"}, "EX value must be an integer"},
      {{"PX", ""}, "PX value must be an integer"},
      {{"EX", "315360001"}, "Expiry time too far in future (max 10 years)"},
      {{"PX", "18446744073709551615"}, "Expiry time too far in future (max 10 years)"},
      {{"EXAT", "9999999999"}, "Expiry timestamp too far in future (max 10 years)"},
      {{"WHAT"}, "Unknown SET option: WHAT"},
      {{"what"}, "Unknown SET option: WHAT"},
      {{"NX", "XX"}, "syntax error"},
      {{"EX", "1", "PX", "1"}, "syntax error"},
      {{"EX", "1", "KEEPTTL"}, "syntax error"},
  };
  for (const auto& [options, text] : cases) {
    Words words{"SET", "k", "v"};
    words.insert(words.end(), options.begin(), options.end());
    EXPECT_EQ(call(words), error(text)) << options.front();
  }
  EXPECT_EQ(call({"EXISTS", "k"}), number(0));
}

TEST_F(TextsFront, ExpiryFollowsTheClock) {
  call({"SET", "k", "v", "EX", "10"});
  EXPECT_EQ(call({"GET", "k"}), bulk("v"));
  advance(std::chrono::seconds(10));
  EXPECT_EQ(call({"GET", "k"}), kNull);
  EXPECT_EQ(call({"TTL", "k"}), number(-2));
}

TEST_F(TextsFront, RelativesOfSet) {
  EXPECT_EQ(call({"SETEX", "k", "10", "v"}), kOk);
  EXPECT_EQ(call({"PSETEX", "k", "10000", "v"}), kOk);
  EXPECT_EQ(call({"SETEX", "k", "0", "v"}), error("invalid expire time in 'setex' command"));
  EXPECT_EQ(call({"SETEX", "k", "x", "v"}), error("value is not an integer or out of range"));
  EXPECT_EQ(call({"SETNX", "k", "w"}), number(0));
  EXPECT_EQ(call({"SETNX", "n", "w"}), number(1));
  EXPECT_EQ(call({"GETSET", "n", "x"}), bulk("w"));
  EXPECT_EQ(call({"GETDEL", "n"}), bulk("x"));
  EXPECT_EQ(call({"GETEX", "k", "PERSIST"}), bulk("v"));
  EXPECT_EQ(call({"TTL", "k"}), number(-1));
  EXPECT_EQ(call({"GETEX", "k", "EX", "7"}), bulk("v"));
  EXPECT_EQ(call({"TTL", "k"}), number(7));
  EXPECT_EQ(call({"GETEX", "k", "EX", "0"}), error("invalid expire time in 'getex' command"));
  EXPECT_EQ(call({"GETEX", "k", "EX", "1", "PERSIST"}), error("syntax error"));
  EXPECT_EQ(call({"MSET", "a", "1", "b", "2"}), kOk);
  EXPECT_EQ(call({"MGET", "a", "none", "b"}), "*3\r\n$1\r\n1\r\n$-1\r\n$1\r\n2\r\n");
  EXPECT_EQ(call({"MSETNX", "b", "3", "c", "3"}), number(0));
}

TEST_F(TextsFront, PartsAndNumbers) {
  EXPECT_EQ(call({"APPEND", "k", "hello"}), number(5));
  EXPECT_EQ(call({"STRLEN", "k"}), number(5));
  EXPECT_EQ(call({"GETRANGE", "k", "1", "-2"}), bulk("ell"));
  EXPECT_EQ(call({"SUBSTR", "k", "0", "0"}), bulk("h"));
  EXPECT_EQ(call({"SETRANGE", "k", "0", "J"}), number(5));
  EXPECT_EQ(call({"SETRANGE", "k", "-1", "J"}), error("offset is out of range"));
  EXPECT_EQ(call({"INCR", "k"}), error("value is not an integer or out of range"));
  EXPECT_EQ(call({"INCR", "n"}), number(1));
  EXPECT_EQ(call({"INCRBY", "n", "9"}), number(10));
  EXPECT_EQ(call({"DECR", "n"}), number(9));
  EXPECT_EQ(call({"DECRBY", "n", "10"}), number(-1));
  EXPECT_EQ(call({"DECRBY", "n", "-9223372036854775808"}), error("decrement would overflow"));
  EXPECT_EQ(call({"INCRBY", "n", "x"}), error("value is not an integer or out of range"));
  EXPECT_EQ(call({"INCRBYFLOAT", "n", "0.5"}), bulk("-0.5"));
  EXPECT_EQ(call({"INCRBYFLOAT", "n", "x"}), error("value is not a valid float"));
}

TEST_F(TextsFront, AnyKey) {
  call({"SET", "s", "v"});
  call({"LPUSH", "l", "v"});
  EXPECT_EQ(call({"TYPE", "s"}), "+string\r\n");
  EXPECT_EQ(call({"TYPE", "l"}), "+list\r\n");
  EXPECT_EQ(call({"TYPE", "none"}), "+none\r\n");
  EXPECT_EQ(call({"GET", "l"}), kWrongType);
  EXPECT_EQ(call({"EXISTS", "s", "l", "none", "s"}), number(3));
  EXPECT_EQ(call({"TOUCH", "s", "none"}), number(1));
  EXPECT_EQ(call({"EXPIRE", "s", "100"}), number(1));
  EXPECT_EQ(call({"EXPIRE", "s", "50", "GT"}), number(0));
  EXPECT_EQ(call({"EXPIRE", "s", "50", "NX", "XX"}), error("NX and XX, GT or LT options at the same time are not compatible"));
  EXPECT_EQ(call({"EXPIRE", "s", "50", "WHAT"}), error("syntax error"));
  EXPECT_EQ(call({"EXPIRE", "s", "x"}), error("value is not an integer or out of range"));
  EXPECT_EQ(call({"EXPIRE", "s", "9223372036854775807"}), error("invalid expire time in 'expire' command"));
  EXPECT_EQ(call({"PEXPIRE", "s", "2500"}), number(1));
  EXPECT_EQ(call({"PTTL", "s"}), number(2'500));
  const std::int64_t now = to_ms(clock.now());
  EXPECT_EQ(call({"PEXPIRETIME", "s"}), number(now + 2'500));
  EXPECT_EQ(call({"EXPIREAT", "s", std::to_string(now / 1'000 + 60)}), number(1));
  EXPECT_EQ(call({"EXPIRETIME", "s"}), number(now / 1'000 + 60));
  EXPECT_EQ(call({"PERSIST", "s"}), number(1));
  EXPECT_EQ(call({"EXPIRE", "s", "-1"}), number(1));
  EXPECT_EQ(call({"EXISTS", "s"}), number(0));
  EXPECT_EQ(call({"RENAME", "l", "m"}), kOk);
  EXPECT_EQ(call({"RENAME", "l", "m"}), error("no such key"));
  EXPECT_EQ(call({"RENAMENX", "m", "l"}), number(1));
  EXPECT_EQ(call({"RANDOMKEY"}), bulk("l"));
  EXPECT_EQ(call({"DBSIZE"}), number(1));
  EXPECT_EQ(call({"DEL", "l", "none"}), number(1));
  EXPECT_EQ(call({"UNLINK", "l"}), number(0));
}

TEST_F(TextsFront, FlushIsRefusedUnlessItIsAllowed) {
  call({"SET", "k", "v"});
  EXPECT_EQ(call({"FLUSHALL"}), error("FLUSHALL is not allowed here; the setting resp.flush_allowed allows it"));
  EXPECT_EQ(call({"EXISTS", "k"}), number(1));
}

class FlushFront : public KeyspaceFrontTest {
  RespOptions options() override {
    RespOptions options;
    options.compat_flags.flush_allowed = true;
    return options;
  }
};

TEST_F(FlushFront, DeletesOrdinaryKeys) {
  call({"SET", "k", "v"});
  call({"GET", "k"});
  EXPECT_EQ(call({"FLUSHDB", "ASYNC"}), kOk);
  EXPECT_EQ(call({"GET", "k"}), kNull);
  EXPECT_EQ(call({"FLUSHDB", "WHAT"}), error("syntax error"));
}

TEST_F(TextsFront, NamesAreUtf8AndValuesAreBytes) {
  const std::string bytes("\x00\xff\r\n", 4);
  EXPECT_EQ(call({"SET", "k", bytes}), kOk);
  EXPECT_EQ(call({"GET", "k"}), bulk(bytes));
  EXPECT_EQ(call({"SET", "\xff\xfe", "v"}), error("Protocol error: Invalid UTF-8 in bulk string"));
}

TEST_F(TextsFront, FiveMegabytesGoThrough) {
  const std::string large(5 * 1024 * 1024, 'x');
  EXPECT_EQ(call({"SET", "k", large}), kOk);
  EXPECT_EQ(call({"GET", "k"}), bulk(large));
}

TEST_F(TextsFront, AGetBehindAnotherCommandSeesWhatThatDid) {
  call({"SET", "k", "1"});
  EXPECT_EQ(call({"GET", "k"}), bulk("1"));  // known from memory from here on
  EXPECT_EQ(pipeline(*wire_, {{"GET", "k"}, {"SET", "k", "2"}, {"GET", "k"}, {"DEL", "k"}, {"GET", "k"}}),
            bulk("1") + kOk + bulk("2") + number(1) + kNull);
}

TEST_F(TextsFront, ARefusedCommandInAPipelineLeavesTheOthers) {
  EXPECT_EQ(pipeline(*wire_, {{"SET", "a", "1"}, {"SET", "a", "2", "EX", "x"}, {"LPUSH", "a", "v"}, {"GET", "a"}}),
            kOk + error("EX value must be an integer") + kWrongType + bulk("1"));
}

TEST_F(TextsFront, EverythingIsThereAfterARestart) {
  call({"SET", "k", "v"});
  restart();
  wire_ = std::make_unique<Wire>(operate());
  EXPECT_EQ(call({"GET", "k"}), bulk("v"));
}

TEST_F(TextsFront, NullsOfResp3AreTheirOwn) {
  Wire wire = speaking_resp3();
  EXPECT_EQ(wire.call({"GET", "none"}), "_\r\n");
  EXPECT_EQ(wire.call({"MGET", "none"}), "*1\r\n_\r\n");
}

}  // namespace
}  // namespace muster::resp::keyspace
