// Hashes, sets and sorted sets as bytes on the wire.
#include "fronts/resp/keyspace/keyspace_testing.h"

namespace muster::resp::keyspace {
namespace {

class CollectionsFront : public KeyspaceFrontTest {};

TEST_F(CollectionsFront, Hashes) {
  EXPECT_EQ(call({"HSET", "h", "b", "2"}), number(1));
  EXPECT_EQ(call({"HSET", "h", "b", "3", "a", "1"}), number(1));
  EXPECT_EQ(call({"HGETALL", "h"}), array({"a", "1", "b", "3"}));
  EXPECT_EQ(call({"HGETALL", "none"}), "*0\r\n");
  EXPECT_EQ(call({"HMSET", "h", "c", "xyz"}), kOk);
  EXPECT_EQ(call({"HSETNX", "h", "c", "no"}), number(0));
  EXPECT_EQ(call({"HGET", "h", "c"}), bulk("xyz"));
  EXPECT_EQ(call({"HGET", "h", "none"}), kNull);
  EXPECT_EQ(call({"HMGET", "h", "a", "none"}), "*2\r\n$1\r\n1\r\n$-1\r\n");
  EXPECT_EQ(call({"HKEYS", "h"}), array({"a", "b", "c"}));
  EXPECT_EQ(call({"HVALS", "h"}), array({"1", "3", "xyz"}));
  EXPECT_EQ(call({"HEXISTS", "h", "a"}), number(1));
  EXPECT_EQ(call({"HLEN", "h"}), number(3));
  EXPECT_EQ(call({"HSTRLEN", "h", "c"}), number(3));
  EXPECT_EQ(call({"HSTRLEN", "h", "none"}), number(0));
  EXPECT_EQ(call({"HINCRBY", "h", "a", "41"}), number(42));
  EXPECT_EQ(call({"HINCRBYFLOAT", "h", "a", "0.5"}), bulk("42.5"));
  EXPECT_EQ(call({"HDEL", "h", "a", "b", "none"}), number(2));
}

TEST_F(CollectionsFront, HashErrorsInTheDialectsWords) {
  EXPECT_EQ(call({"HSET", "h", "f"}), error("HSET requires exactly three arguments (key field value)"));
  EXPECT_EQ(call({"HSET", "h", "f", "v", "g"}), error("HSET requires exactly three arguments (key field value)"));
  EXPECT_EQ(call({"HGET", "h"}), error("HGET requires exactly two arguments (key field)"));
  EXPECT_EQ(call({"HDEL", "h"}), error("HDEL requires exactly two arguments (key field)"));
  EXPECT_EQ(call({"HGETALL"}), error("HGETALL requires exactly one argument (key)"));
  EXPECT_EQ(call({"HEXISTS", "h"}), error("HEXISTS requires exactly two arguments (key field)"));
  EXPECT_EQ(call({"HLEN"}), error("HLEN requires exactly one argument (key)"));
  EXPECT_EQ(call({"HINCRBY", "h", "f"}), error("HINCRBY requires exactly three arguments: key field increment"));
  EXPECT_EQ(call({"HINCRBY", "h", "f", "x"}), error("HINCRBY increment must be an integer"));
  EXPECT_EQ(call({"HINCRBY", "", "f", "1"}), error("HINCRBY key must be between 1 and 256 characters"));
  EXPECT_EQ(call({"HINCRBY", "h", std::string(257, 'f'), "1"}), error("HINCRBY field must be between 1 and 256 characters"));
  EXPECT_EQ(call({"HINCRBY", "h", "f\t", "1"}), error("HINCRBY field contains invalid characters"));
  call({"HSET", "h", "t", "text", "m", "9223372036854775807"});
  EXPECT_EQ(call({"HINCRBY", "h", "t", "1"}),
            error("Protocol error: Hash field is not an integer: invalid digit found in string"));
  EXPECT_EQ(call({"HINCRBY", "h", "m", "1"}), error("Protocol error: Integer overflow in HINCRBY"));
}

TEST_F(CollectionsFront, Sets) {
  EXPECT_EQ(call({"SADD", "s", "b", "a", "b"}), number(2));
  EXPECT_EQ(call({"SMEMBERS", "s"}), array({"a", "b"}));
  EXPECT_EQ(call({"SISMEMBER", "s", "a"}), number(1));
  EXPECT_EQ(call({"SMISMEMBER", "s", "a", "x"}), "*2\r\n:1\r\n:0\r\n");
  EXPECT_EQ(call({"SCARD", "s"}), number(2));
  call({"SADD", "t", "b", "c"});
  EXPECT_EQ(call({"SUNION", "s", "t"}), array({"a", "b", "c"}));
  EXPECT_EQ(call({"SINTER", "s", "t"}), array({"b"}));
  EXPECT_EQ(call({"SDIFF", "s", "t"}), array({"a"}));
  EXPECT_EQ(call({"SUNIONSTORE", "u", "s", "t"}), number(3));
  EXPECT_EQ(call({"SINTERSTORE", "u", "s", "t"}), number(1));
  EXPECT_EQ(call({"SDIFFSTORE", "u", "s", "t"}), number(1));
  EXPECT_EQ(call({"SMEMBERS", "u"}), array({"a"}));
  EXPECT_EQ(call({"SMOVE", "t", "u", "c"}), number(1));
  EXPECT_EQ(call({"SRANDMEMBER", "t"}), bulk("b"));
  EXPECT_EQ(call({"SRANDMEMBER", "t", "-2"}), array({"b", "b"}));
  EXPECT_EQ(call({"SPOP", "t"}), bulk("b"));
  EXPECT_EQ(call({"SPOP", "t"}), kNull);
  EXPECT_EQ(call({"SPOP", "u", "5"}).substr(0, 4), "*2\r\n");
  EXPECT_EQ(call({"SPOP", "u", "-1"}), error("value is out of range, must be positive"));
  EXPECT_EQ(call({"SREM", "s", "a", "x"}), number(1));
}

TEST_F(CollectionsFront, Z1Z2) {
  EXPECT_EQ(pipeline(*wire_, {{"ZADD", "z1", "1700000000", "m"}, {"ZSCORE", "z1", "m"}, {"ZCARD", "z1"}}),
            ":1\r\n$10\r\n1700000000\r\n:1\r\n");
  EXPECT_EQ(call({"ZADD", "z1", "nan", "m"}), "-ERR Score must be a finite number\r\n");
}

TEST_F(CollectionsFront, SortedSets) {
  EXPECT_EQ(call({"ZADD", "z", "1", "a", "2.5", "b", "inf", "c"}), number(3));
  EXPECT_EQ(call({"ZADD", "z", "XX", "CH", "1.5", "a", "9", "new"}), number(1));
  EXPECT_EQ(call({"ZADD", "z", "INCR", "1", "a"}), bulk("2.5"));
  EXPECT_EQ(call({"ZADD", "z", "NX", "INCR", "1", "a"}), kNull);
  EXPECT_EQ(call({"ZINCRBY", "z", "-1.5", "a"}), bulk("1"));
  EXPECT_EQ(call({"ZSCORE", "z", "c"}), bulk("inf"));
  EXPECT_EQ(call({"ZSCORE", "z", "none"}), kNull);
  EXPECT_EQ(call({"ZMSCORE", "z", "b", "none"}), "*2\r\n$3\r\n2.5\r\n$-1\r\n");
  EXPECT_EQ(call({"ZRANGE", "z", "0", "-1"}), array({"a", "b", "c"}));
  EXPECT_EQ(call({"ZRANGE", "z", "0", "1", "WITHSCORES"}), array({"a", "1", "b", "2.5"}));
  EXPECT_EQ(call({"ZRANGE", "z", "0", "0", "REV"}), array({"c"}));
  EXPECT_EQ(call({"ZRANGE", "z", "(1", "+inf", "BYSCORE", "LIMIT", "0", "1"}), array({"b"}));
  EXPECT_EQ(call({"ZRANGE", "z", "+inf", "-inf", "BYSCORE", "REV", "LIMIT", "1", "-1"}), array({"b", "a"}));
  EXPECT_EQ(call({"ZREVRANGE", "z", "0", "0", "WITHSCORES"}), array({"c", "inf"}));
  EXPECT_EQ(call({"ZRANGEBYSCORE", "z", "1", "2.5"}), array({"a", "b"}));
  EXPECT_EQ(call({"ZRANGEBYSCORE", "z", "(1", "inf", "WITHSCORES", "LIMIT", "1", "5"}), array({"c", "inf"}));
  EXPECT_EQ(call({"ZREVRANGEBYSCORE", "z", "2.5", "-inf"}), array({"b", "a"}));
  EXPECT_EQ(call({"ZCOUNT", "z", "-inf", "2.5"}), number(2));
  EXPECT_EQ(call({"ZRANK", "z", "b"}), number(1));
  EXPECT_EQ(call({"ZREVRANK", "z", "b"}), number(1));
  EXPECT_EQ(call({"ZRANK", "z", "none"}), kNull);
  EXPECT_EQ(call({"ZPOPMIN", "z"}), array({"a", "1"}));
  EXPECT_EQ(call({"ZPOPMAX", "z", "2"}), array({"c", "inf", "b", "2.5"}));
  EXPECT_EQ(call({"ZPOPMAX", "z"}), "*0\r\n");
  call({"ZADD", "z", "1", "a", "2", "b", "3", "c"});
  EXPECT_EQ(call({"ZREMRANGEBYRANK", "z", "0", "0"}), number(1));
  EXPECT_EQ(call({"ZREMRANGEBYSCORE", "z", "3", "inf"}), number(1));
  EXPECT_EQ(call({"ZREM", "z", "b", "none"}), number(1));
}

TEST_F(CollectionsFront, RangesOfNames) {
  call({"ZADD", "z", "0", "a", "0", "b", "0", "c"});
  EXPECT_EQ(call({"ZRANGEBYLEX", "z", "-", "+"}), array({"a", "b", "c"}));
  EXPECT_EQ(call({"ZRANGEBYLEX", "z", "(a", "[b"}), array({"b"}));
  EXPECT_EQ(call({"ZRANGEBYLEX", "z", "+", "-"}), "*0\r\n");
  EXPECT_EQ(call({"ZREVRANGEBYLEX", "z", "+", "[b"}), array({"c", "b"}));
  EXPECT_EQ(call({"ZRANGE", "z", "[a", "(c", "BYLEX"}), array({"a", "b"}));
  EXPECT_EQ(call({"ZRANGEBYLEX", "z", "a", "b"}), error("min or max not valid string range item"));
  EXPECT_EQ(call({"ZREMRANGEBYLEX", "z", "[a", "[b"}), number(2));
}

TEST_F(CollectionsFront, SortedSetErrorsInTheDialectsWords) {
  EXPECT_EQ(call({"ZADD", "z", "1"}), error("ZADD requires exactly three arguments (key score member)"));
  EXPECT_EQ(call({"ZADD", "z", "x", "m"}), error("ZADD score must be a valid number"));
  EXPECT_EQ(call({"ZADD", "z", "1", "m", "2"}), error("syntax error"));
  EXPECT_EQ(call({"ZADD", "z", "NX", "XX", "1", "m"}), error("XX and NX options at the same time are not compatible"));
  EXPECT_EQ(call({"ZRANGE", "z", "0"}), error("ZRANGE requires exactly three arguments (key start stop)"));
  EXPECT_EQ(call({"ZRANGE", "z", "x", "0"}), error("ZRANGE start must be an integer"));
  EXPECT_EQ(call({"ZRANGE", "z", "0", "x"}), error("ZRANGE stop must be an integer"));
  EXPECT_EQ(call({"ZRANGEBYSCORE", "z", "0"}), error("ZRANGEBYSCORE requires exactly three arguments (key min max)"));
  EXPECT_EQ(call({"ZRANGEBYSCORE", "z", "x", "0"}), error("ZRANGEBYSCORE min must be a valid number"));
  EXPECT_EQ(call({"ZRANGEBYSCORE", "z", "0", "x"}), error("ZRANGEBYSCORE max must be a valid number"));
  EXPECT_EQ(call({"ZRANGEBYSCORE", "z", "nan", "1"}), error("Scores must be finite numbers"));
  EXPECT_EQ(call({"ZREM", "z"}), error("ZREM requires exactly two arguments (key member)"));
  EXPECT_EQ(call({"ZSCORE", "z"}), error("ZSCORE requires exactly two arguments (key member)"));
  EXPECT_EQ(call({"ZCARD"}), error("ZCARD requires exactly one argument (key)"));
  EXPECT_EQ(call({"ZCOUNT", "z", "x", "1"}), error("min or max is not a float"));
}

TEST_F(CollectionsFront, Resp3HasMapsSetsAndNumbersOfItsOwn) {
  Wire wire = speaking_resp3();
  wire.call({"HSET", "h", "a", "1"});
  wire.call({"SADD", "s", "m"});
  wire.call({"ZADD", "z", "1.5", "m"});
  EXPECT_EQ(wire.call({"HGETALL", "h"}), "%1\r\n$1\r\na\r\n$1\r\n1\r\n");
  EXPECT_EQ(wire.call({"SMEMBERS", "s"}), "~1\r\n$1\r\nm\r\n");
  EXPECT_EQ(wire.call({"ZSCORE", "z", "m"}), ",1.5\r\n");
  EXPECT_EQ(wire.call({"ZRANGE", "z", "0", "-1", "WITHSCORES"}), "*1\r\n*2\r\n$1\r\nm\r\n,1.5\r\n");
  EXPECT_EQ(wire.call({"ZPOPMIN", "z"}), "*2\r\n$1\r\nm\r\n,1.5\r\n");
}

class ScoresByHabitFront : public KeyspaceFrontTest {
  RespOptions options() override {
    RespOptions options;
    options.compat_flags.ranges_with_scores = true;
    return options;
  }
};
TEST_F(ScoresByHabitFront, RangesAlwaysBringTheirScores) {
  call({"ZADD", "z", "1", "a"});
  EXPECT_EQ(call({"ZRANGE", "z", "0", "-1"}), array({"a", "1"}));
  EXPECT_EQ(call({"ZRANGEBYSCORE", "z", "0", "9"}), array({"a", "1"}));
  EXPECT_EQ(call({"ZREVRANGE", "z", "0", "-1"}), array({"a"}));
}

// --- bounds ---

Words many(Words words, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) words.push_back(std::to_string(i));
  return words;
}

TEST_F(CollectionsFront, OverItsBudgetACommandNamesTheLimit) {
  EXPECT_EQ(call(many({"SADD", "s"}, 20'001)),
            error("the command is about 20001 elements, more than kChangedRowsMax (20000); do it in parts"));
  EXPECT_EQ(call({"EXISTS", "s"}), number(0));
  EXPECT_EQ(call(many({"MGET"}, 20'001)), error("the command names 20001 keys, more than kKeysNamedMax (20000); do it in parts"));
  EXPECT_EQ(call(many({"RPUSH", "l"}, 20'000)), number(20'000));
  EXPECT_EQ(call({"RPUSH", "l", "x"}), number(20'001));
  EXPECT_EQ(call({"LPOP", "l", "20001"}),
            error("the command is about 20001 elements, more than kChangedRowsMax (20000); do it in parts"));
  EXPECT_EQ(call({"LLEN", "l"}), number(20'001));
}

TEST_F(CollectionsFront, ALongReadInAPipelineKeepsItsPlace) {
  Wire wire = operate();
  EXPECT_EQ(wire.call(many({"RPUSH", "l"}, 5'000)), number(5'000));
  const std::string replies = pipeline(wire, {{"RPUSH", "l", "last"}, {"LRANGE", "l", "0", "-1"}, {"DEL", "l"}, {"LLEN", "l"}});
  EXPECT_TRUE(replies.starts_with(number(5'001) + "*5001\r\n" + bulk("0"))) << replies.substr(0, 60);
  EXPECT_TRUE(replies.ends_with(bulk("last") + number(1) + number(0)));
}

}  // namespace
}  // namespace muster::resp::keyspace
