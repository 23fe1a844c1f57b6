#include "schema/pattern.h"

#include <gtest/gtest.h>

#include "schema/schema_testing.h"

namespace muster::schema {
namespace {

bool matches(std::string_view source, std::string_view text) {
  const Result<Pattern> pattern = Pattern::compile(source);
  EXPECT_TRUE(pattern.ok()) << pattern.status().text();
  return pattern.ok() && pattern->matches(text);
}

TEST(SchemaPattern, MeansWhatEcma262Says) {
  struct Case {
    std::string_view pattern;
    std::string_view yes;
    std::string_view no;
  };
  constexpr Case kCases[] = {
      {"b", "abc", "ac"},
      {"^abc$", "abc", "abc\n"},
      {"^.$", "ä", "\r"},
      {"^.$", "🐲", "\u2028"},
      {"^\\s$", "\u00a0", "x"},
      {"^\\S$", "x", "\ufeff"},
      {"^[\\S]$", "x", "\v"},
      {"^[^\\s]$", "\u200b", "\u2003"},
      {"^\\d\\w$", "1_", "৪ä"},
      {"^\\cJ$", "\n", "J"},
      {"^\\u00e4\\x41$", "äA", "aA"},
      {"^\\ud83d\\udc32+$", "🐲🐲", "x"},
      {"^\\u{1f432}$", "🐲", "x"},
      {"^\\p{Letter}\\P{Lu}$", "ää", "1a"},
      {"^\\p{Script=Greek}$", "α", "a"},
      {"^(?<year>\\d{4})$", "2026", "26"},
      {"^(?:ab)+?$", "abab", "aba"},
      {"^[[:alpha:]]$", "a]", "b"},
      {"^[\\w-.]+$", "a-b.c", "a/b"},
      {"^[\\b]$", "\b", "b"},
      {"^[^]$", "\n", ""},
      {"^\\/\\-\\_$", "/-_", "\\"},
      {"^a\\.b$", "a.b", "axb"},
  };
  for (const Case& entry : kCases) {
    EXPECT_TRUE(matches(entry.pattern, entry.yes)) << entry.pattern;
    EXPECT_FALSE(matches(entry.pattern, entry.no)) << entry.pattern;
  }
  EXPECT_FALSE(matches("[]", "anything"));
  EXPECT_TRUE(matches("", ""));
}

TEST(SchemaPattern, RefusesWhatCannotBeDoneInLinearTime) {
  for (const std::string_view around : {"(?=a)", "a(?!b)", "(?<=a)b", "(?<!a)b"})
    EXPECT_EQ(Pattern::compile(around).status().message(),
              "the pattern \"" + std::string(around) + "\": look-around (?=…) (?!…) (?<=…) (?<!…) is not supported");
  EXPECT_EQ(Pattern::compile("(a)\\1").status().message(),
            R"(the pattern "(a)\\1": back-references (\1 to \9) are not supported)");
  EXPECT_EQ(Pattern::compile("(?<n>a)\\k<n>").status().message(),
            R"(the pattern "(?<n>a)\\k<n>": back-references (\k<name>) are not supported)");
  EXPECT_EQ(refusal(R"x({"properties":{"a":{"pattern":"(?=a)"}}})x"),
            R"x(schema /properties/a/pattern: the pattern "(?=a)": look-around (?=…) (?!…) (?<=…) (?<!…) is not supported)x");
}

TEST(SchemaPattern, RefusesWhatIsNoEcma262) {
  for (const std::string_view source :
       {"\\a", "\\A", "\\Z",          "\\Qx\\E",      "(?i)a",   "(?P<n>a)",    "(?#x)", "a\\",  "[a",   "(",     "*a",
        "a**", "\\p", "\\p{No Such}", "\\p{Klingon}", "\\ud800", "\\u{110000}", "\\xZZ", "\\c1", "\\01", "[z-a]", "a{1001}"})
    EXPECT_EQ(Pattern::compile(source).code(), Code::invalid_argument) << source;
}

TEST(SchemaPattern, EndsAfterTheTextHoweverItWasMeant) {
  const Result<Pattern> pattern = Pattern::compile("^(a+)+$");
  ASSERT_TRUE(pattern.ok());
  EXPECT_FALSE(pattern->matches(std::string(100'000, 'a') + "!"));
  EXPECT_GT(pattern->cost(100'000), 10'000U);
  EXPECT_LT(pattern->cost(10), 10U);
}

}  // namespace
}  // namespace muster::schema
