#include "store/transfer/digest.h"

#include <bit>

#include "base/uuid.h"
#include "store/codec/spec_text.h"
#include "store/transfer/agent_digest.h"

namespace muster::store::transfer {
namespace {

// Every value with its length or its absence, so that no two records look alike by accident.
class Bytes {
 public:
  Bytes& number(std::int64_t value) {
    for (int shift = 0; shift < 64; shift += 8) out_ += static_cast<char>(static_cast<std::uint64_t>(value) >> shift);
    return *this;
  }
  Bytes& text(std::string_view value) {
    number(static_cast<std::int64_t>(value.size()));
    out_ += value;
    return *this;
  }
  Bytes& flag(bool value) {
    out_ += value ? '\1' : '\0';
    return *this;
  }
  Bytes& at(Instant value) { return number(to_ms(value)); }
  Bytes& at(const std::optional<Instant>& value) { return value ? flag(true).at(*value) : flag(false); }
  Bytes& count(std::uint64_t value) { return number(static_cast<std::int64_t>(value)); }
  Bytes& content(const Content& value) { return text(value.data).number(static_cast<std::int64_t>(value.encoding)); }
  Bytes& content(const std::optional<Content>& value) { return value ? flag(true).content(*value) : flag(false); }
  std::string take() { return std::move(out_); }

 private:
  std::string out_;
};

}  // namespace

std::uint64_t hash_of(std::string_view bytes) {
  std::uint64_t hash = 0xcbf2'9ce4'8422'2325ULL;
  for (const char byte : bytes) hash = (hash ^ static_cast<unsigned char>(byte)) * 0x0000'0100'0000'01b3ULL;
  return mix64(hash);
}

template <class Record>
void Digest::add_each(Kind kind, const std::vector<Record>& records) {
  counts_[index_of(kind)] += records.size();
  for (const Record& record : records) {
    if constexpr (requires { agent_bytes(record); })
      sums_[index_of(kind)] += hash_of(agent_bytes(record));
    else
      sums_[index_of(kind)] += hash_of(bytes_of(record));
  }
}

void Digest::add(const Records& records) {
  std::visit([&](const auto& list) { add_each(kind_of(records), list); }, records);
}

bool Digest::same(const Digest& other, Kind kind) const {
  if (kind == Kind::jobs && states_ != other.states_) return false;
  return records(kind) == other.records(kind) && checksum(kind) == other.checksum(kind);
}

std::string Digest::bytes_of(const NamespaceInfo& record) {
  Bytes out;
  out.text(record.name.text()).text(record.description).at(record.created_at);
  return out.text(record.display_name).flag(record.enabled).at(record.updated_at).take();
}

std::string Digest::bytes_of(const QueueRecord& record) {
  return Bytes().text(record.ns.text()).text(record.name.text()).text(settings_to_text(record.settings)).take();
}

std::string Digest::bytes_of(const Worker& record) {
  workers_.insert({record.spec.ns, record.spec.id});
  Bytes out;
  out.text(record.spec.ns.text()).text(record.spec.id.text()).text(worker_to_text(record.spec));
  out.number(static_cast<std::int64_t>(to_number(record.session))).number(static_cast<std::int64_t>(record.state));
  out.at(record.registered_at).at(record.offline_at).text(record.offline_cause);
  if (record.state == WorkerState::offline) out.at(record.last_seen_at);
  out.at(record.drain_deadline).text(record.drain_reason).number(static_cast<std::int64_t>(record.drain_origin));
  out.number(static_cast<std::int64_t>(record.completed)).number(static_cast<std::int64_t>(record.failed)).text(record.stats);
  return out.take();
}

std::string Digest::bytes_of(const BondRecord& record) {
  return Bytes().text(record.ns.text()).text(record.queue.text()).text(record.key).text(record.worker.text()).take();
}

std::string Digest::bytes_of(const JobRecord& record) {
  const Job& job = record.job;
  ++states_[static_cast<std::size_t>(job.state)];
  Bytes out;
  out.number(record.key).text(job.spec.ns.text()).text(job.spec.queue.text()).text(job.spec.type.text());
  out.text(spec_to_text(job.spec)).content(job.spec.payload).number(job.spec.priority);
  out.number(static_cast<std::int64_t>(job.state)).number(static_cast<std::int64_t>(record.event));
  if (!is_finished(job.state)) out.number(record.rank);
  out.at(job.created_at).at(job.run_at).at(job.expires_at).at(job.started_at).at(job.finished_at);
  out.number(job.attempt).number(job.rescues).number(static_cast<std::int64_t>(to_number(job.fence))).text(job.worker.text());
  out.flag(job.cancel_requested).text(record.cancel_reason);
  if (job.state == JobState::running) out.number(record.granted ? record.granted->count() : -1);
  out.content(job.result).text(job.error ? error_to_text(*job.error) : std::string());
  if (job.progress) out.text(progress_to_text(*job.progress)).content(job.progress->partial);
  std::vector<AttemptRecord> attempts = job.attempts;
  for (AttemptRecord& attempt : attempts)
    if (!workers_.contains({job.spec.ns, attempt.worker})) attempt.worker = WorkerId();
  return out.text(attempts_to_text(attempts)).take();
}

std::string Digest::bytes_of(const KeyRecord& record) {
  return Bytes().text(record.ns.text()).text(record.key).number(record.job).take();
}

std::string Digest::bytes_of(const DependencyRecord& record) { return Bytes().number(record.job).number(record.after).take(); }

std::string Digest::bytes_of(const Plan& record) {
  Bytes out;
  out.text(record.spec.ns.text()).text(record.spec.id.text()).text(record.spec.text).text(record.spec.description);
  out.number(record.spec.tasks).text(record.spec.needs.key()).at(record.created_at).at(record.last_used_at);
  return out.count(record.actions).count(record.jobs).take();
}

std::string Digest::bytes_of(const ActionRecord& record) {
  const Action& action = record.action;
  Bytes out;
  out.text(action.ns.text()).text(action.id.text()).text(action.plan.text()).at(action.created_at).count(action.jobs);
  out.at(record.settled_at).count(action.counts.completed).count(action.counts.failed).count(action.counts.dead);
  out.count(action.counts.cancelled);
  for (const JobKey key : record.jobs) out.number(key);
  return out.take();
}

std::string Digest::bytes_of(const EntryRecord& record) {
  Bytes out;
  out.number(record.number).text(record.ns.text()).number(static_cast<std::int64_t>(record.space)).text(record.name);
  out.number(static_cast<std::int64_t>(record.type)).at(record.expires_at);
  return out.number(record.count).number(record.head).number(record.tail).text(record.text).take();
}

std::string Digest::bytes_of(const ItemRecord& record) {
  return Bytes().number(record.entry).number(record.position).text(record.value).take();
}

std::string Digest::bytes_of(const FieldRecord& record) {
  return Bytes().number(record.entry).text(record.name).text(record.value).take();
}

std::string Digest::bytes_of(const ScoreRecord& record) {
  return Bytes().number(record.entry).text(record.member).number(std::bit_cast<std::int64_t>(record.score)).take();
}

std::string Digest::bytes_of(const StepRecord& record) {
  const muster::Step& step = record.step;
  Bytes out;
  out.text(record.ns.text()).number(record.run).number(record.place).text(step.name).number(static_cast<std::int64_t>(step.kind));
  out.number(static_cast<std::int64_t>(step.state)).number(step.attempt).content(step.input).content(step.output);
  out.text(step.error ? error_to_text(*step.error) : std::string()).text(policy_to_text(step.policy));
  out.at(step.begun_at).at(step.finished_at).at(step.until);
  out.text(workers_.contains({record.ns, step.worker}) ? step.worker.text() : std::string());
  out.number(static_cast<std::int64_t>(to_number(step.fence))).text(step.child ? step.child->text() : std::string());
  return out.text(step.signal).take();
}

std::string Digest::bytes_of(const SignalRecord& record) {
  return Bytes().number(record.run).number(record.place).text(record.name).content(record.data).take();
}

std::string Digest::bytes_of(const Schedule& record) {
  Bytes out;
  out.text(record.spec.ns.text()).text(record.spec.id.text()).flag(record.spec.enabled);
  out.text(schedule_to_text(record.spec)).content(record.spec.job.payload);
  out.at(record.created_at).at(record.updated_at).at(record.next_fire_at).at(record.last_fired_at).at(record.caught_up_to);
  out.at(record.buffered).text(record.last_job ? record.last_job->text() : std::string());
  return out.count(record.fired).count(record.skipped).count(record.revision).take();
}

}  // namespace muster::store::transfer
