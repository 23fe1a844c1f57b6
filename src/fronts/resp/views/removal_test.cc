#include "fronts/resp/views/removal.h"

#include <gtest/gtest.h>

#include <fmt/format.h>

#include "fronts/resp/plans/job_document.h"
#include "fronts/resp/work/work.h"

namespace muster::resp::views {
namespace {

// A job that a client pushed as `element`.
Job pushed(std::uint64_t number, std::string element) {
  Job job;
  job.id = *work::parse_job_id(fmt::format("{:032x}", number));
  job.spec.type = JobType(plans::kTypeElement);
  job.spec.payload.data = std::move(element);
  return job;
}

std::vector<JobId> chosen(std::vector<std::string> elements, std::int64_t count, const std::vector<Job>& jobs) {
  Removal removal(std::move(elements), count);
  for (const Job& job : jobs) removal.look_at(job);
  return removal.chosen();
}

TEST(Removal, TakesSoManyFromTheNewestOrTheOldestOn) {
  const std::vector<Job> jobs{pushed(4, "x"), pushed(3, "y"), pushed(2, "x"), pushed(1, "x")};
  EXPECT_EQ(chosen({"x"}, 2, jobs), (std::vector<JobId>{jobs[0].id, jobs[2].id}));
  EXPECT_EQ(chosen({"x"}, -2, jobs), (std::vector<JobId>{jobs[3].id, jobs[2].id}));
  EXPECT_EQ(chosen({"x"}, 0, jobs).size(), 3u);
  EXPECT_TRUE(chosen({"z"}, 0, jobs).empty());
}

TEST(Removal, AnElementMayBeADocumentOrAnId) {
  const std::vector<Job> jobs{pushed(7, "x"), pushed(8, "x")};
  EXPECT_EQ(chosen({jobs[1].id.text()}, 1, jobs), std::vector<JobId>{jobs[1].id});
  EXPECT_EQ(chosen({fmt::format(R"({{"job_id":"{}"}})", jobs[0].id.text())}, 1, jobs), std::vector<JobId>{jobs[0].id});
}

TEST(Removal, AJobThatTwoElementsMeanIsChosenOnce) {
  const std::vector<Job> jobs{pushed(7, "x"), pushed(8, "y")};
  EXPECT_EQ(chosen({"x", jobs[0].id.text(), "x", "y"}, 1, jobs), (std::vector<JobId>{jobs[0].id, jobs[1].id}));
}

TEST(Removal, IsCompleteWhenEveryElementHasItsJobs) {
  Removal removal({"x", "y"}, 1);
  removal.look_at(pushed(1, "x"));
  EXPECT_FALSE(removal.is_complete());
  removal.look_at(pushed(2, "y"));
  EXPECT_TRUE(removal.is_complete());
}

// One by the other this would be ten thousand million comparisons, which no test run waits for.
TEST(Removal, ManyElementsAmongManyJobsCostTheirSum) {
  constexpr std::size_t kMany = 100'000;
  std::vector<std::string> elements;
  std::vector<Job> jobs;
  for (std::size_t i = 0; i < kMany; ++i) {
    elements.push_back(fmt::format("element {}", i));
    jobs.push_back(pushed(i, fmt::format("element {}", kMany - 1 - i)));
  }
  EXPECT_EQ(chosen(elements, 1, jobs).size(), kMany);
}

}  // namespace
}  // namespace muster::resp::views
