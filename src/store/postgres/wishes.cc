#include "store/postgres/wishes.h"

#include <algorithm>

#include "store/codec/spec_text.h"

namespace muster::store::postgres {
namespace {

void bytes_or_null(Params& params, const std::string& value) { value.empty() ? params.null() : params.bytes(value); }

}  // namespace

bool claims_specially(const JobSpec& spec) {
  return spec.concurrency || spec.fairness || spec.affinity != Affinity() ||
         (spec.unique && spec.unique->during == UniqueWhile::waiting);
}

bool settles_specially(const JobSpec& spec) { return claims_specially(spec) || spec.unique || !spec.after.empty(); }

bool is_plain(const JobSpec& spec) { return !settles_specially(spec) && spec.idempotency_key.empty(); }

std::uint16_t flags_of(const JobSpec& spec) {
  std::uint16_t flags = 0;
  if (spec.payload.encoding == Encoding::bytes) flags |= kPayloadBytes;
  if (spec.run) flags |= kRun;
  if (spec.run && spec.run->parent) flags |= kChildRun;
  if (spec.deadline) flags |= kDeadline;
  return flags;
}

std::optional<JobId> parent_of(std::uint16_t flags, std::string_view text) {
  if ((flags & kChildRun) == 0) return std::nullopt;
  JobSpec spec;
  spec_from_text(text, spec);
  if (!spec.run || !spec.run->parent) return std::nullopt;
  return spec.run->parent->run;
}

std::optional<Instant> deadline_of(std::uint16_t flags, std::string_view text) {
  if ((flags & kDeadline) == 0) return std::nullopt;
  JobSpec spec;
  spec_from_text(text, spec);
  return spec.deadline;
}

Wishes wishes_of(const JobSpec& spec, NamespaceKey ns, Instant created_at) {
  Wishes wishes;
  wishes.ns = ns;
  const Instant wanted = spec.run_at.value_or(created_at + spec.delay);
  if (spec.unique) {
    wishes.unique_key = spec.unique->key;
    wishes.unique_waiting = spec.unique->during == UniqueWhile::waiting;
  }
  if (spec.concurrency) {
    wishes.concurrency_key = spec.concurrency->key;
    wishes.concurrency_limit = spec.concurrency->limit;
  }
  wishes.sticky_key = spec.affinity.sticky_key;
  wishes.prefer = spec.affinity.prefer;
  if (!wishes.prefer.empty()) wishes.prefer_until = to_ms(std::max(wanted, created_at) + spec.affinity.prefer_wait);
  if (!spec.after.empty()) wishes.not_before = to_ms(wanted);
  wishes.run_on_failure = spec.on_dependency_failure == OnDependencyFailure::run;
  return wishes;
}

void write_wishes(Tx& tx, JobKey job, const Wishes& wishes) {
  Params params;
  params.int8(job).int4(wishes.ns);
  bytes_or_null(params, wishes.concurrency_key);
  params.int4(wishes.concurrency_limit);
  bytes_or_null(params, wishes.sticky_key);
  wishes.prefer.empty() ? params.null() : params.text(wishes.prefer);
  params.int8(wishes.prefer_until).int4(wishes.fair_lane);
  wishes.fair_lane != 0 ? params.int8(wishes.fair_start) : params.null();
  bytes_or_null(params, wishes.unique_key);
  params.boolean(wishes.unique_waiting).int8(wishes.not_before).int4(wishes.pending).boolean(wishes.run_on_failure);
  tx.write("wishes_put"_sql, std::move(params));
}

}  // namespace muster::store::postgres
