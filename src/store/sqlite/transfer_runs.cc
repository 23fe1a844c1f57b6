#include "store/sqlite/transfer_runs.h"

#include <charconv>

#include "store/sqlite/schedule_row.h"
#include "store/sqlite/step_row.h"

namespace muster::store::sqlite {
namespace {

std::int64_t place_in(const transfer::Position& after) {
  std::int64_t place = 0;
  std::from_chars(after.second.data(), after.second.data() + after.second.size(), place);
  return place;
}

std::size_t bytes_of(const std::optional<Content>& content) { return content ? content->data.size() : 0; }

}  // namespace

RunReader::RunReader(Connection& connection)
    : steps_(connection, "transfer_steps"),
      signals_(connection, "transfer_signals"),
      schedules_(connection, "transfer_schedules") {}

void RunReader::read_steps(transfer::Batch& batch, const transfer::Position& after, std::size_t limit, const IdCodec& ids) {
  auto& out = batch.records.emplace<std::vector<transfer::StepRecord>>();
  Statement& st = steps_;
  std::size_t bytes = 0;
  Rows rows(st.bind(1, after.first).bind(2, place_in(after)).bind(3, static_cast<std::int64_t>(limit)));
  while (bytes < transfer::kCopyBatchBytesMax && rows.next()) {
    StepRow row = read_step_row(st, ids);
    transfer::StepRecord& record = out.emplace_back();
    record.run = row.key.run;
    record.place = row.key.place;
    record.step = std::move(row.step);
    record.ns = NamespaceName(st.text(18));
    record.step.worker = WorkerId(st.text(19));
    bytes += bytes_of(record.step.input) + bytes_of(record.step.output);
    batch.last = {record.run, std::to_string(record.place)};
  }
}

void RunReader::read_signals(transfer::Batch& batch, const transfer::Position& after, std::size_t limit) {
  auto& out = batch.records.emplace<std::vector<transfer::SignalRecord>>();
  Statement& st = signals_;
  std::size_t bytes = 0;
  Rows rows(st.bind(1, after.first).bind(2, place_in(after)).bind(3, static_cast<std::int64_t>(limit)));
  while (bytes < transfer::kCopyBatchBytesMax && rows.next()) {
    out.push_back({st.integer(0), st.integer(1), st.text(2), {st.text(4), static_cast<Encoding>(st.integer(3))}});
    bytes += out.back().data.data.size();
    batch.last = {out.back().run, std::to_string(out.back().place)};
  }
}

void RunReader::read_schedules(transfer::Batch& batch, const transfer::Position& after, std::size_t limit, const IdCodec& ids) {
  auto& out = batch.records.emplace<std::vector<Schedule>>();
  Statement& st = schedules_;
  std::size_t bytes = 0;
  Rows rows(st.bind(1, after.first).bind(2, static_cast<std::int64_t>(limit)));
  while (bytes < transfer::kCopyBatchBytesMax && rows.next()) {
    ScheduleRow row = read_schedule_row(st, ids);
    set_namespace(row.schedule, NamespaceName(st.text(16)));
    bytes += row.schedule.spec.job.payload.data.size();
    batch.last.first = row.row;
    out.push_back(std::move(row.schedule));
  }
}

RunWriter::RunWriter(Connection& connection)
    : step_put_(connection, "step_insert"),
      signal_put_(connection, "signal_insert"),
      schedule_put_(connection, "schedule_insert") {}

void RunWriter::put(const transfer::StepRecord& record, WorkerKey worker, const IdCodec& ids) {
  insert_step(step_put_, {record.run, record.place}, record.step, worker, ids);
}

void RunWriter::put(const transfer::SignalRecord& record) {
  signal_put_.bind(1, record.run).bind(2, record.place).bind_text(3, record.name);
  signal_put_.bind(4, static_cast<std::int64_t>(record.data.encoding)).bind_blob(5, record.data.data).run();
}

void RunWriter::put(const Schedule& schedule, std::int64_t ns_row, const IdCodec& ids) {
  write_schedule(schedule_put_, ns_row, schedule, ids);
}

}  // namespace muster::store::sqlite
