#include "base/log.h"

#include <gtest/gtest.h>

#include <limits>

namespace muster::log {
namespace {

const Instant kAt = from_ms(1'700'000'000'123);

TEST(Log, WritesTimeLevelMessageAndFieldsAsOneJsonLine) {
  EXPECT_EQ(format_line(Level::warn, kAt, "lease lost",
                        {{"job_id", "0af3"}, {"attempt", std::int64_t{2}}, {"load", 0.5}, {"late", true}}),
            "{\"ts\":\"2023-11-14T22:13:20.123Z\",\"level\":\"warn\",\"msg\":\"lease lost\",\"job_id\":\"0af3\","
            "\"attempt\":2,\"load\":0.5,\"late\":true}\n");
}

TEST(Log, EscapesWhatJsonDoesNotAllowInAString) {
  const std::string line = format_line(Level::info, kAt, std::string_view("a\"b\\c\n\r\t\x01\x7f\0z", 12), {});
  EXPECT_NE(line.find("\"msg\":\"a\\\"b\\\\c\\n\\r\\t\\u0001\\u007f\\u0000z\""), std::string::npos) << line;
}

TEST(Log, KeepsUtf8AndReplacesBytesThatAreNot) {
  const auto message = [](std::string_view text) {
    const std::string line = format_line(Level::info, kAt, text, {});
    const std::size_t at = line.find("\"msg\":\"") + 7;
    return line.substr(at, line.rfind('"') - at);
  };
  EXPECT_EQ(message("grün → 日本 😀"), "grün → 日本 😀");
  EXPECT_EQ(message("\xff"), "\\ufffd");
  EXPECT_EQ(message("a\xc3"), "a\\ufffd");                                 // cut in the middle
  EXPECT_EQ(message("\xc0\xaf"), "\\ufffd\\ufffd");                        // overlong
  EXPECT_EQ(message("\xed\xa0\x80"), "\\ufffd\\ufffd\\ufffd");             // surrogate
  EXPECT_EQ(message("\xf4\x90\x80\x80"), "\\ufffd\\ufffd\\ufffd\\ufffd");  // above U+10FFFF
}

TEST(Log, WritesNullForNumbersJsonHasNoWordFor) {
  EXPECT_NE(format_line(Level::info, kAt, "", {{"x", std::numeric_limits<double>::infinity()}}).find("\"x\":null"),
            std::string::npos);
}

TEST(Log, DropsLinesBelowItsLevel) {
  const Level before = level();
  set_level(Level::warn);
  testing::internal::CaptureStderr();
  info("not seen");
  warn("seen");
  const std::string out = testing::internal::GetCapturedStderr();
  set_level(before);
  EXPECT_EQ(out.find("not seen"), std::string::npos);
  EXPECT_NE(out.find("\"msg\":\"seen\""), std::string::npos);
}

TEST(Log, ReadsTheLevelNamesItWrites) {
  for (const Level each : {Level::debug, Level::info, Level::warn, Level::error}) EXPECT_EQ(parse_level(to_string(each)), each);
  EXPECT_EQ(parse_level("loud"), std::nullopt);
  EXPECT_EQ(parse_level("INFO"), std::nullopt);
}

}  // namespace
}  // namespace muster::log
