// Workers as rows.
#include "cli/workers.h"

#include <gtest/gtest.h>

#include <fmt/format.h>

namespace muster::cli {
namespace {

TEST(WorkersTable, SaysWhyAWorkerDrains) {
  sdk::WorkerInfo worker;
  worker.id = "w1";
  worker.state = "draining";
  worker.drain_reason = "memory 93 %";
  const auto text = [](const sdk::WorkerInfo& shown) {
    return fmt::format("{}", fmt::join(workers_table(std::span(&shown, 1), sdk::Instant()).lines({}), "\n"));
  };
  EXPECT_NE(text(worker).find("draining: memory 93 %"), std::string::npos) << text(worker);
  worker.drain_reason.clear();
  EXPECT_EQ(text(worker).find("draining:"), std::string::npos) << text(worker);
}

}  // namespace
}  // namespace muster::cli
