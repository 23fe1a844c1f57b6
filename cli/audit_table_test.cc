#include "cli/audit.h"

#include <gtest/gtest.h>

#include "sdk/cpp/codec.h"

namespace muster::cli {
namespace {

TEST(AuditTable, ShowsADispatchAndADeedAsTheServerSendsThem) {
  const auto page = sdk::decode_audit_page(
      R"({"audit":[{"id":"a","at":"2026-11-15T09:00:00.000Z","namespace":"team","who":"w","role":"worker","worker":"w-1",)"
      R"("action":"job.dispatch","target":"j1","corr":"d1","outcome":"E.DISPATCH.UNAVAILABLE"},)"
      R"({"id":"b","at":"2026-11-15T08:00:00.000Z","who":"operator","role":"operator","address":"127.0.0.1:9",)"
      R"("action":"backup.create","target":"copy.db","outcome":"ok"}],"next":"b"})");
  ASSERT_TRUE(page.ok()) << page.error().detail;
  EXPECT_EQ(page->next, "b");
  EXPECT_EQ(page->rows[0].role, "worker");
  const std::vector<std::string> expected{
      "AT                        WHO       ACTION         TARGET   OUTCOME                 NAMESPACE  WORKER  ADDRESS      CORR",
      "2026-11-15T09:00:00.000Z  w         job.dispatch   j1       E.DISPATCH.UNAVAILABLE  team       w-1     -            d1",
      "2026-11-15T08:00:00.000Z  operator  backup.create  copy.db  ok                      -          -       127.0.0.1:9  -",
  };
  EXPECT_EQ(audit_table(page->rows).lines({.color = false, .width_max = 0}), expected);
}

}  // namespace
}  // namespace muster::cli
