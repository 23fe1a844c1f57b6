#include "cli/job_prefix.h"

#include <fmt/format.h>

#include <string>
#include <vector>

namespace muster::cli {
namespace {

constexpr std::size_t kDigitsMin = 4;        // shorter ones are seldom unique
constexpr std::size_t kDigitsAmongMany = 8;  // where not every job was looked at
constexpr std::size_t kDigits = 32;          // of a whole id, which may come without its dashes
constexpr std::uint32_t kPageMax = 1'000;
constexpr std::size_t kSearchedMax = 100'000;  // the newest jobs; ids are spread, so that no index knows how they begin
constexpr std::size_t kShownMax = 5;

std::string without_dashes(std::string text) {
  std::erase(text, '-');
  return text;
}

bool is_beginning(const std::string& text) {
  const std::size_t digits = without_dashes(text).size();
  return digits >= kDigitsMin && digits < kDigits && text.find_first_not_of("0123456789abcdef-") == std::string::npos;
}

sdk::Error refuse(sdk::Code code, std::string detail) {
  return {.code = code, .status = 0, .detail = std::move(detail), .retry_after = {}};
}

}  // namespace

sdk::Result<std::string> whole_id(sdk::Client& client, const std::string& text) {
  if (!is_beginning(text)) return text;
  const std::string digits = without_dashes(text);
  std::vector<std::string> found;
  sdk::JobQuery query;
  query.limit = kPageMax;
  std::size_t searched = 0;
  do {
    const sdk::Result<sdk::JobPage> page = client.jobs(query);
    if (!page.ok()) return page.error();
    for (const sdk::Job& job : page->jobs)
      if (without_dashes(job.id).starts_with(digits) && found.size() < kShownMax) found.push_back(job.id);
    searched += page->jobs.size();
    query.cursor = page->next;
  } while (!query.cursor.empty() && searched < kSearchedMax && found.size() < kShownMax);
  if (found.empty())
    return refuse(sdk::Code::not_found, fmt::format("no id of the newest {} jobs begins with {}", searched, text));
  if (found.size() > 1)
    return refuse(sdk::Code::conflict, fmt::format("{} is short for several jobs: {}", text, fmt::join(found, ", ")));
  if (!query.cursor.empty() && digits.size() < kDigitsAmongMany)
    return refuse(sdk::Code::conflict, fmt::format("{} may be short for a job older than the newest {}: give at least {} digits",
                                                   text, searched, kDigitsAmongMany));
  return found.front();
}

}  // namespace muster::cli
