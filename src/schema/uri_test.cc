#include "schema/uri.h"

#include <gtest/gtest.h>

namespace muster::schema {
namespace {

TEST(SchemaUri, ResolvesAsRfc3986Says) {
  struct Case {
    std::string_view reference;
    std::string_view uri;
  };
  // The examples of its section 5.4.
  constexpr Case kCases[] = {{"g:h", "g:h"},
                             {"g", "http://a/b/c/g"},
                             {"./g", "http://a/b/c/g"},
                             {"g/", "http://a/b/c/g/"},
                             {"/g", "http://a/g"},
                             {"//g", "http://g"},
                             {"?y", "http://a/b/c/d;p?y"},
                             {"g?y", "http://a/b/c/g?y"},
                             {"#s", "http://a/b/c/d;p?q#s"},
                             {"g#s", "http://a/b/c/g#s"},
                             {";x", "http://a/b/c/;x"},
                             {"", "http://a/b/c/d;p?q"},
                             {".", "http://a/b/c/"},
                             {"./", "http://a/b/c/"},
                             {"..", "http://a/b/"},
                             {"../g", "http://a/b/g"},
                             {"../..", "http://a/"},
                             {"../../g", "http://a/g"},
                             {"../../../g", "http://a/g"},
                             {"/./g", "http://a/g"},
                             {"/../g", "http://a/g"},
                             {"g.", "http://a/b/c/g."},
                             {"..g", "http://a/b/c/..g"},
                             {"./g/.", "http://a/b/c/g/"},
                             {"g/./h", "http://a/b/c/g/h"},
                             {"g/../h", "http://a/b/c/h"},
                             {"g;x=1/../y", "http://a/b/c/y"},
                             {"g?y/../x", "http://a/b/c/g?y/../x"}};
  for (const Case& entry : kCases) EXPECT_EQ(resolve("http://a/b/c/d;p?q", entry.reference), entry.uri) << entry.reference;
}

TEST(SchemaUri, ResolvesWithoutAHostOrAScheme) {
  EXPECT_EQ(resolve("/schemas/session/envelope.json", "ack.json#/a"), "/schemas/session/ack.json#/a");
  EXPECT_EQ(resolve("", "#/a"), "#/a");
  EXPECT_EQ(resolve("urn:uuid:deadbeef", "#a"), "urn:uuid:deadbeef#a");
  EXPECT_EQ(resolve("http://a", "b"), "http://a/b");
}

TEST(SchemaUri, ReadsPointers) {
  EXPECT_EQ(pointer_names(""), std::vector<std::string>());
  EXPECT_EQ(pointer_names("/a~1b//~01"), (std::vector<std::string>{"a/b", "", "~1"}));
  EXPECT_EQ(pointer_names("a"), std::nullopt);
  EXPECT_EQ(pointer_names("/~"), std::nullopt);
  EXPECT_EQ(pointer_names("/~2"), std::nullopt);
  EXPECT_EQ(percent_decoded("a%2Fb%25"), "a/b%");
  EXPECT_EQ(percent_decoded("%2"), std::nullopt);
}

}  // namespace
}  // namespace muster::schema
