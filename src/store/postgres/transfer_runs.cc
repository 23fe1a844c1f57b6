#include "store/postgres/transfer_runs.h"

#include "store/postgres/schedule_rows.h"
#include "store/postgres/step_rows.h"

namespace muster::store::postgres {
namespace {

const Sql kSignalsPut{"signals_put"};
const Sql kSchedulePut{"schedule_put"};

std::optional<JobKey> key_of(const Tx& tx, const std::optional<JobId>& id) { return id ? tx.ids().decode(*id) : std::nullopt; }

}  // namespace

void put_steps(Tx& tx, const std::vector<transfer::StepRecord>& records) {
  StepWrites writes;
  for (const transfer::StepRecord& record : records)
    writes.put({record.run, record.place}, record.step, key_of(tx, record.step.child));
  writes.write(tx);
}

void put_signals(Tx& tx, const std::vector<transfer::SignalRecord>& records) {
  Column job(Type::int8), place(Type::int8), flags(Type::int2), name(Type::bytes), data(Type::bytes);
  for (const transfer::SignalRecord& record : records) {
    job.add(record.run);
    place.add(record.place);
    flags.add(std::int64_t{record.data.encoding == Encoding::bytes});
    name.add(std::string_view(record.name));
    data.add(std::string_view(record.data.data));
  }
  Params params;
  for (Column* column : {&job, &place, &flags, &name, &data}) params.array(std::move(*column));
  tx.write(kSignalsPut, std::move(params));
}

// One by one: there are few.
void put_schedules(Tx& tx, TransferNames& names, const std::vector<Schedule>& records) {
  for (const Schedule& record : records)
    tx.write(kSchedulePut, schedule_params(record, names.ns(record.spec.ns), key_of(tx, record.last_job)));
}

}  // namespace muster::store::postgres
