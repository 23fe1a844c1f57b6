#include "store/named_statements.h"

#include <gtest/gtest.h>

#include <array>

namespace muster::store {
namespace {

TEST(NamedStatements, AFileOfManyIsCutAtItsNamesAndSorted) {
  const std::array files = {embedded::File{"b.sql", "-- name: read\n-- Why.\nSELECT 1\n\n-- name: end\nCOMMIT\n"},
                            embedded::File{"a.sql", "-- name: put\nINSERT -- name: not one\n"}};
  const auto all = named_statements(files);
  ASSERT_EQ(all.size(), 3U);
  EXPECT_EQ(all[0].name, "end");
  EXPECT_EQ(all[0].text, "COMMIT");
  EXPECT_EQ(all[1].name, "put");
  EXPECT_EQ(all[1].text, "INSERT -- name: not one");
  EXPECT_EQ(all[2].name, "read");
  EXPECT_EQ(all[2].text, "-- Why.\nSELECT 1");
  EXPECT_EQ(statement_index(all, "read"), 2U);
}

TEST(NamedStatements, NamesOfNumbersBecomeTheirNumbers) {
  const std::array files = {
      embedded::File{"a.sql", "-- name: x\nSELECT '{}', {schema}.t WHERE state = {state.dead} AND flags & {flag.own} <> 0\n"}};
  const std::array own = {NamedNumber{"flag.own", 8}};
  EXPECT_EQ(named_statements(files, own)[0].text, "SELECT '{}', {schema}.t WHERE state = 4 AND flags & 8 <> 0");
}

TEST(NamedStatements, APartStandsInWhateverNamesIt) {
  const std::array files = {
      embedded::File{"a.sql", "-- name: x\nSELECT {part.columns} FROM t\n\n-- part: columns\na, {part.more}\n"},
      embedded::File{"b.sql", "-- part: more\nb, {state.dead}\n\n-- name: y\nSELECT {part.more}\n"}};
  const auto all = named_statements(files);
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all[0].text, "SELECT a, b, 4 FROM t");
  EXPECT_EQ(all[1].text, "SELECT b, 4");
}

TEST(NamedStatementsDeathTest, ANameThatStandsForNothingEndsTheProgram) {
  const std::array number = {embedded::File{"a.sql", "-- name: x\nSELECT {state.asleep}\n"}};
  EXPECT_DEATH(named_statements(number), "check failed: state.asleep");
  const std::array part = {embedded::File{"a.sql", "-- name: x\nSELECT {part.x}\n"}};
  EXPECT_DEATH(named_statements(part), "check failed: part.x");
}

TEST(NamedStatementsDeathTest, ANameGivenTwiceOrNoNameAtAllEndsTheProgram) {
  const std::array twice = {embedded::File{"a.sql", "-- name: x\n1\n"}, embedded::File{"b.sql", "-- name: x\n2\n"}};
  EXPECT_DEATH(named_statements(twice), "check failed: x");
  const std::array parts = {embedded::File{"a.sql", "-- part: p\n1\n-- part: p\n2\n"}};
  EXPECT_DEATH(named_statements(parts), "check failed: p");
  const std::array nameless = {embedded::File{"a.sql", "SELECT 1\n"}};
  EXPECT_DEATH(named_statements(nameless), "check failed: a.sql");
  EXPECT_DEATH(statement_index({}, "gone"), "check failed: gone");
}

}  // namespace
}  // namespace muster::store
