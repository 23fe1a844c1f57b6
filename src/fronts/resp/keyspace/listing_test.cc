// KEYS, SCAN and their kin over the wire.
#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "fronts/resp/keyspace/cursors.h"
#include "fronts/resp/keyspace/keyspace_testing.h"

namespace muster::resp::keyspace {
namespace {

// The bulk strings of a reply, in order, whatever stands around them.
Words bulks(const std::string& reply) {
  Words out;
  std::size_t at = 0;
  while ((at = reply.find('$', at)) != std::string::npos) {
    const std::size_t line = reply.find("\r\n", at);
    const long size = std::stol(reply.substr(at + 1, line - at - 1));
    if (size >= 0) out.push_back(reply.substr(line + 2, static_cast<std::size_t>(size)));
    at = line + 2 + static_cast<std::size_t>(std::max(0L, size));
  }
  return out;
}

class ListingFront : public KeyspaceFrontTest {
 protected:
  // Every element a walk meets; the command's words before and after its cursor.
  Words walk(Words before, const Words& after) {
    Words met;
    std::string cursor = "0";
    do {
      Words words = before;
      words.push_back(cursor);
      words.insert(words.end(), after.begin(), after.end());
      Words page = bulks(call(words));
      if (page.empty()) return {"no page"};
      cursor = page.front();
      met.insert(met.end(), page.begin() + 1, page.end());
    } while (cursor != "0");
    return met;
  }
};

TEST_F(ListingFront, KeysMatchesNames) {
  for (const char* name : {"a:1", "a:2", "b:1"}) call({"SET", name, "v"});
  EXPECT_EQ(call({"KEYS", "a:*"}), array({"a:1", "a:2"}));
  EXPECT_EQ(call({"KEYS", "*:1"}), array({"a:1", "b:1"}));
  EXPECT_EQ(call({"KEYS", "none*"}), "*0\r\n");
  EXPECT_EQ(call({"KEYS"}), error("wrong number of arguments for 'keys' command"));
  EXPECT_EQ(call({"KEYS", std::string(1'025, 'x')}), error("Pattern length 1025 exceeds maximum 1024"));
}

TEST_F(ListingFront, ViewsAreAmongTheNames) {
  call({"SET", "ordinary", "v"});
  call({"PING", "w-1"});
  const Words names = bulks(call({"KEYS", "*"}));
  EXPECT_NE(std::find(names.begin(), names.end(), "ordinary"), names.end());
  EXPECT_NE(std::find(names.begin(), names.end(), "worker:w-1:alive"), names.end());
  const Words walked = walk({"SCAN"}, {"COUNT", "1"});
  EXPECT_EQ(std::set<std::string>(walked.begin(), walked.end()), std::set<std::string>(names.begin(), names.end()));
  EXPECT_EQ(walked.size(), names.size());
  EXPECT_EQ(bulks(call({"KEYS", "worker:*:alive"})), Words{"worker:w-1:alive"});
}

TEST_F(ListingFront, ScanMeetsEveryNameOnce) {
  std::set<std::string> all;
  for (int i = 0; i < 57; ++i) {
    all.insert(fmt::format("key:{}", i));
    call({"SET", fmt::format("key:{}", i), "v"});
  }
  call({"LPUSH", "list", "v"});
  const Words met = walk({"SCAN"}, {"MATCH", "key:*"});
  EXPECT_EQ(met.size(), all.size());
  EXPECT_EQ(std::set<std::string>(met.begin(), met.end()), all);
  EXPECT_EQ(walk({"SCAN"}, {"TYPE", "list"}), Words{"list"});
  EXPECT_EQ(walk({"SCAN"}, {"MATCH", "key:5?", "COUNT", "1000"}).size(), 7u);
}

TEST_F(ListingFront, CursorsAreNumbersThatOtherConnectionsUnderstand) {
  for (int i = 0; i < 5; ++i) call({"SET", fmt::format("k{}", i), "v"});
  const Words first = bulks(call({"SCAN", "0", "MATCH", "k*", "COUNT", "2"}));
  ASSERT_FALSE(first.empty());
  EXPECT_EQ(first.front().find_first_not_of("0123456789"), std::string::npos);
  Wire other = operate();
  EXPECT_EQ(bulks(other.call({"SCAN", first.front(), "MATCH", "k*", "COUNT", "100"})), (Words{"0", "k2", "k3", "k4"}));
}

TEST_F(ListingFront, BadPagesAreRefused) {
  EXPECT_EQ(call({"SCAN", "x"}), error("invalid cursor"));
  EXPECT_EQ(call({"SCAN", "999999"}), error("invalid cursor"));
  EXPECT_EQ(call({"SCAN", "0", "COUNT", "0"}), error("syntax error"));
  EXPECT_EQ(call({"SCAN", "0", "COUNT", "x"}), error("value is not an integer or out of range"));
  EXPECT_EQ(call({"SCAN", "0", "MATCH"}), error("syntax error"));
  EXPECT_EQ(call({"SCAN", "0", "TYPE", "what"}), error("unknown type name 'what'"));
}

TEST_F(ListingFront, WalksThroughCollections) {
  for (int i = 0; i < 25; ++i) {
    const std::string name = fmt::format("m{:02}", i);
    call({"HSET", "h", name, "v"});
    call({"SADD", "s", name});
    call({"ZADD", "z", "1.5", name});
  }
  EXPECT_EQ(walk({"HSCAN", "h"}, {}).size(), 50u);
  EXPECT_EQ(walk({"HSCAN", "h"}, {"NOVALUES"}).size(), 25u);
  EXPECT_EQ(walk({"SSCAN", "s"}, {"COUNT", "7"}).size(), 25u);
  EXPECT_EQ(walk({"ZSCAN", "z"}, {"MATCH", "m0?", "COUNT", "100"}).size(), 20u);
  EXPECT_EQ(call({"SSCAN", "none", "0"}), "*2\r\n$1\r\n0\r\n*0\r\n");
  EXPECT_EQ(call({"ZSCAN", "z", "0", "MATCH", "m00", "COUNT", "100"}), "*2\r\n$1\r\n0\r\n*2\r\n$3\r\nm00\r\n$3\r\n1.5\r\n");
}

TEST(Cursors, RememberPlacesUntilTooManyCame) {
  Cursors cursors;
  const std::uint64_t first = cursors.add({.in_views = true, .after = "a"});
  EXPECT_NE(first, 0u);
  ASSERT_TRUE(cursors.find(first));
  EXPECT_TRUE(cursors.find(first)->in_views);
  EXPECT_EQ(cursors.find(first)->after, "a");
  EXPECT_FALSE(cursors.find(0));
  EXPECT_FALSE(cursors.find(first + 1));
  for (std::size_t i = 0; i < Cursors::kPlacesMax; ++i) cursors.add({.in_views = false, .after = "b"});
  EXPECT_FALSE(cursors.find(first));
  EXPECT_TRUE(cursors.find(first + Cursors::kPlacesMax));
}

TEST(Cursors, AreBoundedByBytesToo) {
  Cursors cursors;
  const std::uint64_t first = cursors.add({.in_views = false, .after = std::string(Cursors::kBytesMax, 'x')});
  EXPECT_TRUE(cursors.find(first));
  const std::uint64_t second = cursors.add({.in_views = false, .after = "y"});
  EXPECT_FALSE(cursors.find(first));
  EXPECT_TRUE(cursors.find(second));
}

}  // namespace
}  // namespace muster::resp::keyspace
