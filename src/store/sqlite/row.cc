#include "store/sqlite/row.h"

#include "store/codec/spec_text.h"

namespace muster::store::sqlite {
namespace {}  // namespace

JobRow read_row(const Statement& st, Instant now) {
  JobRow row;
  Job& job = row.job;
  row.key = st.integer(0);
  row.lane_row = st.integer(1);
  row.flags = static_cast<std::uint16_t>(st.integer(3));
  row.worker = st.integer(11);
  job.state = static_cast<JobState>(st.integer(2));
  job.spec.priority = static_cast<std::int32_t>(st.integer(4));
  job.run_at = from_ms(st.optional_integer(5));
  job.last_event = static_cast<JobEvent>(st.integer(7));
  if (job.state == JobState::scheduled && job.run_at && *job.run_at <= now) {
    job.state = JobState::ready;
    job.last_event = JobEvent::due;
  }
  job.created_at = from_ms(st.integer(6));
  job.attempt = static_cast<std::uint32_t>(st.integer(8));
  job.rescues = static_cast<std::uint32_t>(st.integer(9));
  job.fence = Fence{static_cast<std::uint64_t>(st.integer(10))};
  job.started_at = from_ms(st.optional_integer(12));
  job.finished_at = from_ms(st.optional_integer(13));
  spec_from_text(st.view(14), job.spec);
  job.spec.payload.data = st.text(15);
  job.spec.payload.encoding = (row.flags & kPayloadBytes) != 0 ? Encoding::bytes : Encoding::json;
  const Encoding result_encoding = (row.flags & kResultBytes) != 0 ? Encoding::bytes : Encoding::json;
  if (!st.is_null(16) || (row.flags & kResultApart) != 0) job.result = Content{st.text(16), result_encoding};
  if (!st.is_null(17)) job.error = error_from_text(st.view(17));
  job.cancel_requested = (row.flags & kCancelRequested) != 0;
  job.expires_at = from_ms(st.optional_integer(18));
  return row;
}

}  // namespace muster::store::sqlite
