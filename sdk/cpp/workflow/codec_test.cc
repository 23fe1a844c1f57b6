// Values as JSON text, messages as the wire takes them.
#include "sdk/cpp/workflow/codec.h"

#include <gtest/gtest.h>

#include <map>
#include <vector>

#include "sdk/cpp/workflow/run_core.h"

namespace muster::sdk::workflow {
namespace {

struct Point {
  int x = 0;
  std::string name;
  friend bool operator==(const Point&, const Point&) = default;
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Point, x, name)

template <class T>
void expect_round_trip(const T& value) {
  const auto text = encode(value);
  ASSERT_TRUE(text.ok()) << text.error().text();
  const auto back = decode<T>(*text);
  ASSERT_TRUE(back.ok()) << back.error().text();
  EXPECT_EQ(*back, value);
}

TEST(WorkflowCodec, ValuesSurviveTheRoundTrip) {
  expect_round_trip(7);
  expect_round_trip(std::int64_t{9'007'199'254'740'993});
  expect_round_trip(2.5);
  expect_round_trip(true);
  expect_round_trip(std::string("ü\"\n"));
  expect_round_trip(std::vector<Point>{{1, "a"}, {2, "b"}});
  expect_round_trip(std::map<std::string, int>{{"a", 1}});
  expect_round_trip(json{{"deep", {1, nullptr, "x"}}});
}

TEST(WorkflowCodec, RefusesWhatIsNotTheType) {
  EXPECT_EQ(decode<int>("\"text\"").error().code, Code::invalid_argument);
  EXPECT_EQ(decode<Point>("{}").error().code, Code::invalid_argument);
  EXPECT_EQ(decode<json>("{bad").error().code, Code::invalid_argument);
  EXPECT_EQ(decode<std::string>("").error().code, Code::invalid_argument);
}

TEST(WorkflowCodec, RefusesTextThatIsNotUtf8) { EXPECT_EQ(encode(std::string("\xff\xfe")).error().code, Code::invalid_argument); }

TEST(WorkflowCodec, MessagesAreMadeFitForTheWire) {
  EXPECT_EQ(detail::wire_text("plain ü"), "plain ü");
  EXPECT_EQ(detail::wire_text(std::string("a\xff"
                                          "b\0c",
                                          5)),
            "a?b?c");
  EXPECT_EQ(detail::wire_text("\xed\xa0\x80"), "???") << "a surrogate is not UTF-8";
  const std::string cut = detail::wire_text(std::string(detail::kMessageBytesMax - 1, 'x') + "üü");
  EXPECT_EQ(cut.size(), detail::kMessageBytesMax - 1) << "never in the middle of a character";
}

}  // namespace
}  // namespace muster::sdk::workflow
