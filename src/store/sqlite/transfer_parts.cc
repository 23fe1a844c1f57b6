#include "store/sqlite/transfer_parts.h"

#include <charconv>

#include "store/codec/columns.h"
#include "store/sqlite/rows.h"

namespace muster::store::sqlite {
namespace {

std::int64_t number_in(const std::string& text) {
  // Below every position of a list: what is behind it is everything.
  std::int64_t value = INT64_MIN;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

}  // namespace

KeyspaceReader::KeyspaceReader(Connection& connection)
    : entries_(connection, "transfer_entries"),
      items_(connection, "transfer_items"),
      fields_(connection, "transfer_fields"),
      scores_(connection, "transfer_scores") {}

void KeyspaceReader::read_entries(transfer::Batch& batch, const transfer::Position& after, std::size_t limit) {
  auto& out = batch.records.emplace<std::vector<transfer::EntryRecord>>();
  Statement& st = entries_;
  std::size_t bytes = 0;
  Rows rows(st.bind(1, after.first).bind(2, as_integer(limit)));
  while (bytes < transfer::kCopyBatchBytesMax && rows.next()) {
    transfer::EntryRecord& record = out.emplace_back();
    read_columns(st, 0, record.number, record.ns, record.space, record.name, record.type, record.expires_at, record.count,
                 record.head, record.tail, record.text);
    bytes += record.name.size() + record.text.size();
    batch.last.first = record.number;
  }
}

void KeyspaceReader::read_items(transfer::Batch& batch, const transfer::Position& after, std::size_t limit) {
  auto& out = batch.records.emplace<std::vector<transfer::ItemRecord>>();
  Statement& st = items_;
  std::size_t bytes = 0;
  Rows rows(st.bind(1, after.first).bind(2, number_in(after.second)).bind(3, as_integer(limit)));
  while (bytes < transfer::kCopyBatchBytesMax && rows.next()) {
    out.push_back({st.integer(0), st.integer(1), st.text(2)});
    bytes += out.back().value.size();
    batch.last = {out.back().entry, std::to_string(out.back().position)};
  }
}

void KeyspaceReader::read_fields(transfer::Batch& batch, const transfer::Position& after, std::size_t limit) {
  auto& out = batch.records.emplace<std::vector<transfer::FieldRecord>>();
  Statement& st = fields_;
  std::size_t bytes = 0;
  Rows rows(st.bind(1, after.first).bind_blob(2, after.second).bind(3, as_integer(limit)));
  while (bytes < transfer::kCopyBatchBytesMax && rows.next()) {
    out.push_back({st.integer(0), st.text(1), st.text(2)});
    bytes += out.back().name.size() + out.back().value.size();
    batch.last = {out.back().entry, out.back().name};
  }
}

void KeyspaceReader::read_scores(transfer::Batch& batch, const transfer::Position& after, std::size_t limit) {
  auto& out = batch.records.emplace<std::vector<transfer::ScoreRecord>>();
  Statement& st = scores_;
  std::size_t bytes = 0;
  Rows rows(st.bind(1, after.first).bind_blob(2, after.second).bind(3, as_integer(limit)));
  while (bytes < transfer::kCopyBatchBytesMax && rows.next()) {
    out.push_back({st.integer(0), st.text(1), st.real(2)});
    bytes += out.back().member.size();
    batch.last = {out.back().entry, out.back().member};
  }
}

KeyspaceWriter::KeyspaceWriter(Connection& connection)
    : entry_put_(connection, "transfer_entry_put"),
      item_put_(connection, "transfer_item_put"),
      field_put_(connection, "transfer_field_put"),
      score_put_(connection, "transfer_score_put") {}

void KeyspaceWriter::put(const transfer::EntryRecord& record, std::int64_t ns_row) {
  Statement& st = entry_put_;
  st.bind(1, record.number).bind(2, ns_row).bind(3, static_cast<std::int64_t>(record.space)).bind_blob(4, record.name);
  st.bind(5, static_cast<std::int64_t>(record.type));
  record.expires_at ? st.bind(6, to_ms(*record.expires_at)) : st.bind_null(6);
  st.bind(7, record.count).bind(8, record.head).bind(9, record.tail);
  record.type == KeyType::text ? st.bind_blob(10, record.text) : st.bind_null(10);
  st.run();
}

void KeyspaceWriter::put(const transfer::ItemRecord& record) {
  item_put_.bind(1, record.entry).bind(2, record.position).bind_blob(3, record.value).run();
}

void KeyspaceWriter::put(const transfer::FieldRecord& record) {
  field_put_.bind(1, record.entry).bind_blob(2, record.name).bind_blob(3, record.value).run();
}

void KeyspaceWriter::put(const transfer::ScoreRecord& record) {
  score_put_.bind(1, record.entry).bind_blob(2, record.member).bind(3, record.score).run();
}

PlanReader::PlanReader(Connection& connection)
    : plans_(connection, "transfer_plans"), actions_(connection, "transfer_actions"), jobs_(connection, "action_jobs") {}

void PlanReader::read_plans(transfer::Batch& batch, const transfer::Position& after, std::size_t limit) {
  auto& out = batch.records.emplace<std::vector<Plan>>();
  Statement& st = plans_;
  std::size_t bytes = 0;
  Rows rows(st.bind(1, after.first).bind(2, as_integer(limit)));
  while (bytes < transfer::kCopyBatchBytesMax && rows.next()) {
    Plan& plan = out.emplace_back();
    plan.spec.ns = NamespaceName(st.text(1));
    store::read_plan(st, 2, plan);
    bytes += plan.spec.text.size();
    batch.last.first = st.integer(0);
  }
}

void PlanReader::read_actions(transfer::Batch& batch, const transfer::Position& after, std::size_t limit) {
  auto& out = batch.records.emplace<std::vector<transfer::ActionRecord>>();
  Statement& st = actions_;
  std::size_t bytes = 0;
  Rows rows(st.bind(1, after.first).bind(2, as_integer(limit)));
  while (bytes < transfer::kCopyBatchBytesMax && rows.next()) {
    transfer::ActionRecord& record = out.emplace_back();
    record.action.ns = NamespaceName(st.text(1));
    store::read_action(st, 2, record.action, record.settled_at);
    batch.last.first = st.integer(0);
    Rows stretches(jobs_.bind(1, batch.last.first));
    while (stretches.next())
      for (std::int64_t i = 0; i < jobs_.integer(1); ++i) record.jobs.push_back(jobs_.integer(0) + i);
    bytes += record.jobs.size() * sizeof(JobKey);
  }
}

PlanWriter::PlanWriter(Connection& connection)
    : plan_put_(connection, "transfer_plan_put"),
      action_put_(connection, "transfer_action_put"),
      jobs_put_(connection, "action_jobs_insert") {}

void PlanWriter::put(const Plan& plan, std::int64_t ns_row) {
  const std::string needs = plan.spec.needs.key();
  Statement& st = plan_put_;
  st.bind(1, ns_row).bind_text(2, plan.spec.id.text()).bind_text(3, plan.spec.text).bind_text(4, plan.spec.description);
  st.bind(5, std::int64_t{plan.spec.tasks}).bind_text(6, needs).bind(7, to_ms(plan.created_at));
  st.bind_optional(8, to_ms(plan.last_used_at));
  st.bind(9, as_integer(plan.actions)).bind(10, as_integer(plan.jobs)).run();
}

void PlanWriter::put(const transfer::ActionRecord& record, std::int64_t ns_row) {
  const Action& action = record.action;
  std::int64_t row = 0;
  {
    Statement& st = action_put_;
    st.bind(1, ns_row).bind_text(2, action.id.text()).bind_text(3, action.plan.text()).bind(4, to_ms(action.created_at));
    st.bind(5, as_integer(action.jobs)).bind_optional(6, to_ms(record.settled_at));
    st.bind(7, as_integer(action.counts.completed)).bind(8, as_integer(action.counts.failed));
    Rows rows(st.bind(9, as_integer(action.counts.dead)).bind(10, as_integer(action.counts.cancelled)));
    if (rows.next()) row = st.integer(0);
  }
  // Keys that follow each other are one stretch.
  for (std::size_t from = 0, to = 0; from < record.jobs.size(); from = to) {
    while (to < record.jobs.size() && record.jobs[to] == record.jobs[from] + as_integer(to - from)) ++to;
    jobs_put_.bind(1, record.jobs[from]).bind(2, row).bind(3, as_integer(from)).bind(4, as_integer(to - from)).run();
  }
}

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
