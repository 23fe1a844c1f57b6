#include "fronts/http/target.h"

#include <gtest/gtest.h>

#include "fronts/http/gzip.h"

namespace muster::http {
namespace {

TEST(Target, SplitsAndDecodesPathAndQuery) {
  const auto target = parse_target("/api/v1/queues/a%2Fb%20c/pause?namespace=x+y&label=k%3Dv&flag&=z&&label=2#part");
  ASSERT_TRUE(target.ok());
  EXPECT_EQ(target->path, "/api/v1/queues/a%2Fb%20c/pause");
  EXPECT_EQ(target->segments, (std::vector<std::string>{"api", "v1", "queues", "a/b c", "pause"}));
  ASSERT_EQ(target->query.size(), 5u);
  EXPECT_EQ(target->query[0].value, "x y");
  EXPECT_EQ(target->query[1].value, "k=v");
  EXPECT_EQ(target->query[2].value, "");
  EXPECT_EQ(target->query[3].name, "");
}

TEST(Target, UnderstandsTheFormSentToProxies) {
  EXPECT_EQ(parse_target("http://localhost:8080/healthz?x=1")->path, "/healthz");
  EXPECT_EQ(parse_target("http://localhost:8080")->path, "/");
}

TEST(Target, RefusesWhatItCannotRead) {
  for (const char* bad : {"", "*", "x", "/%", "/%4", "/%zz", "/%00", "/?a=%", "/a?b=%00"})
    EXPECT_EQ(parse_target(bad).code(), Code::invalid_argument) << bad;
  std::string many = "/?";
  for (std::size_t i = 0; i <= kQueryParametersMax; ++i) many += "a=1&";
  EXPECT_EQ(parse_target(many).code(), Code::invalid_argument);
}

TEST(AcceptEncoding, IsReadAsTheRfcSays) {
  for (const char* yes : {"gzip", "br, gzip", "gzip;q=0.5", "*", "deflate, *;q=0.1", "x-gzip", " gzip "})
    EXPECT_TRUE(accepts_gzip(yes)) << yes;
  for (const char* no : {"", "br", "gzip;q=0", "gzip; q=0.000", "*;q=0", "identity", "gzipped", "*, gzip;q=0"})
    EXPECT_FALSE(accepts_gzip(no)) << no;
}

}  // namespace
}  // namespace muster::http
