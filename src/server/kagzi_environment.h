// Variables that existing deployments of Kagzi set, as settings of ours. Ours win when both are there.
//
// Names without a counterpart here are accepted and have no effect; docs/operations.md has the table.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "server/config.h"

namespace muster::server {

struct ForeignValue {
  const Setting* setting = nullptr;
  std::string text;   // in the form of our setting
  std::string where;  // "environment KAGZI_POLL_TIMEOUT_SECS"
};

struct ForeignValues {
  std::vector<ForeignValue> values;
  std::vector<Problem> problems;
};

// REQUIRES: of the values only names that begin with KAGZI_ are looked at. DATABASE_URL and KAGZI_DB_URL are never taken: a
// server of ours does not write into a database of theirs.
ForeignValues kagzi_values(const std::map<std::string, std::string>& environment);

}  // namespace muster::server
