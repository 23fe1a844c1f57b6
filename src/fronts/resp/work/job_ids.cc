// The names of jobs: ours, and those their clients chose.
#include <utility>

#include <fmt/format.h>

#include "command/jobs.h"
#include "command/single.h"
#include "fronts/resp/core.h"
#include "fronts/resp/work/job_ids.h"
#include "fronts/resp/work/names.h"
#include "fronts/resp/work/work.h"

namespace muster::resp::work {
namespace {

constexpr std::string_view kJobPrefix = "job_";
constexpr std::size_t kChosenIdMax = limits::kKeyBytesMax - kChosenIdKey.size();

Result<JobId> of_ours(const std::string& name) {
  if (const auto id = parse_job_id(name)) return *id;
  return Status::not_found(fmt::format("Job not found: {}", name));
}

}  // namespace

std::optional<JobId> parse_job_id(std::string_view text) {
  if (text.starts_with(kJobPrefix)) text.remove_prefix(kJobPrefix.size());
  const auto id = JobId::parse(text);
  // The engine refuses the id of nothing; here it names a job that does not exist, as any other unknown one.
  return id && *id != JobId() ? id : std::nullopt;
}

void resolve_jobs(Core& core, std::vector<std::string> names, UniqueFunction<void(std::vector<Result<JobId>>)> then) {
  std::vector<std::string> keys;
  keys.reserve(names.size());
  // A name that no key could hold was never a job's.
  for (const std::string& name : names) keys.push_back(std::string(kChosenIdKey) + name.substr(0, kChosenIdMax));
  auto found = [names = std::move(names), then = std::move(then)](Result<store::Each<JobId>> jobs) mutable {
    std::vector<Result<JobId>> out;
    out.reserve(names.size());
    for (std::size_t i = 0; i < names.size(); ++i) {
      if (!jobs.ok())
        out.emplace_back(jobs.status());
      else if (names[i].empty() || names[i].size() > kChosenIdMax || (*jobs)[i].code() == Code::not_found)
        out.push_back(of_ours(names[i]));
      else
        out.push_back((*jobs)[i]);
    }
    then(std::move(out));
  };
  core.ask(command::itself(), command::JobFindRequest{.keys = std::move(keys)}, std::move(found));
}

void resolve_job(const CallRef& call, std::string text, UniqueFunction<void(Result<JobId>)> then) {
  resolve_jobs(call->core(), {std::move(text)},
               [then = std::move(then)](std::vector<Result<JobId>> jobs) mutable { then(std::move(jobs.front())); });
}

}  // namespace muster::resp::work
