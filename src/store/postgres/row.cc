#include "store/postgres/row.h"

#include "store/codec/spec_text.h"
#include "store/postgres/moves.h"

namespace muster::store::postgres {
namespace {

LaneKey lane_of(const Rows& rows, std::size_t row) { return static_cast<LaneKey>(rows.integer(row, 1)); }

}  // namespace

void know_lanes(Tx& tx, const Rows& rows) {
  for (std::size_t i = 0; i < rows.size(); ++i)
    if (tx.directory().lane(lane_of(rows, i)) == nullptr) return tx.reload_directory();
}

Job read_row(Tx& tx, const Rows& rows, std::size_t row) {
  Job job;
  const auto flags = static_cast<std::uint16_t>(rows.integer(row, 3));
  job.id = tx.ids().encode(rows.integer(row, 0));
  if (const LanePtr lane = tx.directory().lane(lane_of(rows, row))) {
    job.spec.ns = lane->lane->ns;
    job.spec.queue = lane->lane->queue;
    job.spec.type = lane->lane->type;
  }
  job.state = static_cast<JobState>(rows.integer(row, 2));
  job.spec.priority = static_cast<std::int32_t>(rows.integer(row, 4));
  job.run_at = from_ms(rows.maybe(row, 5));
  job.last_event = static_cast<JobEvent>(rows.integer(row, 19));
  if (job.state == JobState::scheduled && job.run_at && *job.run_at <= tx.now()) {
    job.state = JobState::ready;
    job.last_event = JobEvent::due;
  }
  job.created_at = from_ms(rows.integer(row, 6));
  job.attempt = static_cast<std::uint32_t>(rows.integer(row, 7));
  job.rescues = static_cast<std::uint32_t>(rows.integer(row, 8));
  job.fence = Fence{static_cast<std::uint64_t>(rows.integer(row, 9))};
  job.worker = WorkerId(rows.text(row, 10));
  job.started_at = from_ms(rows.maybe(row, 11));
  job.finished_at = from_ms(rows.maybe(row, 12));
  job.expires_at = from_ms(rows.maybe(row, 13));
  job.lease_expires_at = from_ms(rows.maybe(row, 14));
  spec_from_text(rows.view(row, 15), job.spec);
  job.spec.payload.data = rows.text(row, 16);
  job.spec.payload.encoding = (flags & kPayloadBytes) != 0 ? Encoding::bytes : Encoding::json;
  if (!rows.null(row, 17))
    job.result = Content{rows.text(row, 17), (flags & kResultBytes) != 0 ? Encoding::bytes : Encoding::json};
  if (!rows.null(row, 18)) job.error = error_from_text(rows.view(row, 18));
  job.cancel_requested = (flags & kCancelRequested) != 0;
  return job;
}

Job read_whole_row(Tx& tx, const Rows& rows, std::size_t row) {
  Job job = read_row(tx, rows, row);
  if (!rows.null(row, 20)) job.attempts = attempts_from_text(rows.view(row, 20));
  if (!rows.null(row, 21)) {
    job.progress = progress_from_text(rows.view(row, 21));
    if (!rows.null(row, 22)) job.progress->partial = Content{rows.text(row, 22), partial_encoding_from_text(rows.view(row, 21))};
  }
  job.dependencies_pending = static_cast<std::size_t>(rows.integer(row, 23));
  return job;
}

}  // namespace muster::store::postgres
