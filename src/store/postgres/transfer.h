// Both ends of `muster store copy` for this store. No node works on the schema meanwhile: a source is refused while one was heard
// a moment ago, and a half-filled target says that its version is one that no node knows.
#pragma once

#include <memory>

#include "base/status.h"
#include "store/postgres/store.h"
#include "store/transfer/copy.h"
#include "store/transfer/record.h"

namespace muster::store::postgres {

// A node that was not heard for this long has ended.
inline constexpr Duration kNodeSilence{30'000};

struct TransferOptions {
  std::string url;
  std::string schema = "muster";
  bool force = false;  // read a source although nodes work on it: the copy is of the instant it begins
};

// Reads in one transaction, so everything is of one instant.
// not_found: there is no schema. conflict: a node works on it, it is half of a copy itself, or it must be brought up first.
// invalid_argument: no waiting mends it (password, rights, a schema newer than this program).
Result<std::unique_ptr<transfer::Source>> open_transfer_source(const TransferOptions& options);
// Makes the schema when there is none. Whether it may be filled is for begin() to say. conflict: a node works on it.
Result<std::unique_ptr<transfer::Sink>> open_transfer_sink(const TransferOptions& options);

}  // namespace muster::store::postgres
