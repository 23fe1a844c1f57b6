// The database's own check-up as lines of `muster doctor`.
#include "server/doctor.h"
#include "server/wiring.h"

namespace muster::server {
namespace {

Grade grade_of(store::postgres::Finding::Grade grade) {
  switch (grade) {
    case store::postgres::Finding::Grade::good: return Grade::ok;
    case store::postgres::Finding::Grade::warning: return Grade::warn;
    case store::postgres::Finding::Grade::bad: return Grade::fail;
  }
  unreachable();
}

}  // namespace

std::vector<Finding> findings_of(std::vector<store::postgres::Finding> seen) {
  std::vector<Finding> findings;
  for (store::postgres::Finding& finding : seen)
    findings.push_back({.name = "postgres: " + finding.name,
                        .grade = grade_of(finding.grade),
                        .text = std::move(finding.text),
                        .remedy = std::move(finding.advice)});
  return findings;
}

std::vector<Finding> check_postgres(const Config& config) {
  return findings_of(store::postgres::examine(postgres_options(config)));
}

}  // namespace muster::server
