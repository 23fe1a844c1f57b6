// What a schema holds, as records; for a source, and for a target that is read again.
#pragma once

#include <optional>

#include "store/postgres/wire/connection.h"
#include "store/transfer/copy.h"
#include "store/transfer/record.h"

namespace muster::store::postgres {

class TransferReader final : public transfer::Source {
 public:
  // The connection is in pipeline mode and outlives it.
  explicit TransferReader(Connection& connection) : connection_(connection) {}

  Result<transfer::Numbers> numbers() override;
  Result<transfer::Counts> counts() override;
  Result<transfer::Batch> read(transfer::Kind kind, const transfer::Position& after, std::size_t limit) override;

 private:
  Result<Rows> ask(Sql statement, Params params);
  Status learn_salt(transfer::Kind kind);

  Connection& connection_;
  std::optional<IdCodec> ids_;  // set when it is first needed
};

}  // namespace muster::store::postgres
