#include "store/transfer/bookmark.h"

#include <gtest/gtest.h>

namespace muster::store::transfer {
namespace {

Bookmark a_bookmark() {
  return {.source = "00ff", .schema = 3, .done = false, .kind = Kind::keys, .after = {12, std::string("a \0\xff", 4)}};
}

TEST(Bookmark, ReadsWhatItWrote) {
  EXPECT_EQ(bookmark_from_text(bookmark_to_text(a_bookmark())), a_bookmark());
  Bookmark begun{.source = "1"};
  EXPECT_EQ(bookmark_from_text(bookmark_to_text(begun)), begun);
  begun.done = true;
  EXPECT_EQ(bookmark_from_text(bookmark_to_text(begun)), begun);
}

TEST(Bookmark, ReadsNothingElse) {
  for (const char* text :
       {"", "1", "2 00ff 3 copying 5 12 61", "1 00ff x copying 5 12 61", "1 00ff 3 perhaps 5 12 61", "1 00ff 3 copying 99 12 61",
        "1 00ff 3 copying 5 12 6", "1 00ff 3 copying 5 12 zz", "1 00ff 3 copying 5 12 61 more"})
    EXPECT_FALSE(bookmark_from_text(text).has_value()) << text;
}

TEST(Bookmark, ContinuesOnlyTheSameSourceUnderTheSameSchema) {
  EXPECT_TRUE(may_continue(a_bookmark(), "00ff", 3).ok());
  EXPECT_EQ(may_continue(a_bookmark(), "00fe", 3).code(), Code::conflict);
  EXPECT_EQ(may_continue(a_bookmark(), "00ff", 4).code(), Code::conflict);
}

TEST(Bookmark, CallsATargetEmptyThatHoldsNothingButItsFirstNamespace) {
  EXPECT_TRUE(must_be_empty({}).ok());
  EXPECT_TRUE(must_be_empty({1}).ok());
  EXPECT_EQ(must_be_empty({2}).code(), Code::conflict);
  for (const Kind kind : kKinds) {
    if (kind == Kind::namespaces) continue;
    Counts counts{1};
    counts[index_of(kind)] = 1;
    EXPECT_EQ(must_be_empty(counts).code(), Code::conflict) << to_string(kind);
  }
}

}  // namespace
}  // namespace muster::store::transfer
