// job:<id> and what hangs on it.
#include <utility>

#include "fronts/resp/plans/handlers.h"
#include "fronts/resp/plans/job_document.h"
#include "fronts/resp/plans/job_find.h"
#include "fronts/resp/plans/outputs.h"
#include "fronts/resp/plans/plan_cache.h"
#include "fronts/resp/views/read.h"
#include "model/plan.h"

namespace muster::resp::views {
namespace {

using store::KeyType;
using Shared = std::shared_ptr<const Job>;

std::initializer_list<KeyType> forms_of(Kind kind) {
  static constexpr std::initializer_list<KeyType> kBoth{KeyType::text, KeyType::hash};
  static constexpr std::initializer_list<KeyType> kText{KeyType::text};
  return kind == Kind::job || kind == Kind::job_metadata ? kBoth : kText;
}

void add_label(std::vector<store::KeyPair>& fields, const Job& job, const char* label, const char* name) {
  if (const auto it = job.spec.labels.find(label); it != job.spec.labels.end()) fields.push_back({name, it->second});
}

// The same facts that the document tells, without the plan's.
std::vector<store::KeyPair> fields_of(const Job& job) {
  const plans::JobFacts facts = plans::facts_of(job);
  std::vector<store::KeyPair> fields{{"attempt", std::to_string(facts.attempt)},
                                     {"created_at", plans::unix_seconds_text(job.created_at)},
                                     {"input", job.spec.payload.data},
                                     {"job_id", plans::job_name(job.id, job.spec.labels)},
                                     {"status", std::string(facts.status)}};
  add_label(fields, job, kLabelAction, "action_id");
  add_label(fields, job, kLabelPlan, "plan_id");
  add_label(fields, job, kLabelInput, "input_index");
  if (!facts.worker.empty()) fields.push_back({"worker_id", std::string(facts.worker)});
  if (job.started_at) fields.push_back({"started_at", plans::unix_seconds_text(*job.started_at)});
  if (job.finished_at) fields.push_back({"completed_at", plans::unix_seconds_text(*job.finished_at)});
  if (job.error) fields.push_back({"error", job.error->message});
  return fields;
}

std::vector<store::KeyPair> outcome_of(const Job& job, const plans::Outputs& outputs) {
  std::vector<store::KeyPair> fields{{"status", std::string(plans::status_word(job))}};
  if (outputs.output) fields.push_back({"stdout", *outputs.output});
  if (outputs.errors) fields.push_back({"stderr", *outputs.errors});
  if (const auto code = plans::exit_code(job)) fields.push_back({"exit_code", std::to_string(*code)});
  if (job.started_at) fields.push_back({"started_at", plans::unix_seconds_text(*job.started_at)});
  if (job.finished_at) fields.push_back({"completed_at", plans::unix_seconds_text(*job.finished_at)});
  return fields;
}

View both(std::string text, std::vector<store::KeyPair> fields) {
  View view = hash_view(std::move(fields));
  view.forms = {KeyType::text, KeyType::hash};
  view.text = std::move(text);
  return view;
}

View text_or_absent(std::optional<std::string> text) { return text ? text_view(*std::move(text)) : absent({KeyType::text}); }

// The claim's record: from the moment the job was taken until it would time out, or until it is back in its queue.
View holder_of(const Job& job, Instant now) {
  const bool waiting = job.state == JobState::ready || job.state == JobState::scheduled;
  if (waiting || job.worker.empty() || !job.started_at) return absent({KeyType::text});
  View view = text_view(job.worker.text());
  if (job.spec.timeout) view.expires_at = *job.started_at + *job.spec.timeout;
  if (view.expires_at && *view.expires_at <= now && job.state != JobState::running) return absent({KeyType::text});
  return view;
}

void read_with_outputs(const CallRef& call, Kind kind, Shared job, ReadThen then) {
  plans::read_outputs(call, *job, [kind, job, then = std::move(then)](Result<plans::Outputs> outputs) mutable {
    if (!outputs.ok()) return then(outputs.status());
    if (kind == Kind::job_stdout) return then(text_or_absent(std::move(outputs->output)));
    if (kind == Kind::job_stderr) return then(text_or_absent(std::move(outputs->errors)));
    if (kind == Kind::job_output) return then(text_or_absent(std::move(outputs->output)));
    then(both(plans::status_document(*job, *outputs), outcome_of(*job, *outputs)));
  });
}

void read_plan_text(const CallRef& call, const Job& job, ReadThen then) {
  const std::string plan = plans::plan_of(job.spec.labels);
  if (plan.empty()) return then(absent({KeyType::text}));
  call->core().plan_cache->find(plan, [then = std::move(then)](std::shared_ptr<const plans::StoredPlan> found) mutable {
    then(found ? text_view(found->text) : absent({KeyType::text}));
  });
}

void show(const CallRef& call, Kind kind, const Want& want, Job job, ReadThen then) {
  switch (kind) {
    case Kind::job: {
      if (want.form != KeyType::text) return then(both({}, fields_of(job)));
      return plans::with_document(call, std::move(job), [then = std::move(then)](const Job& shown, std::string document) mutable {
        then(both(std::move(document), fields_of(shown)));
      });
    }
    case Kind::job_worker: return then(holder_of(job, call->core().now()));
    case Kind::job_status: return then(text_view(std::string(plans::status_word(job))));
    case Kind::job_input: return then(text_view(std::move(job.spec.payload.data)));
    case Kind::job_plan: return read_plan_text(call, job, std::move(then));
    case Kind::job_output:
      if (job.result) return then(text_view(std::move(job.result->data)));
      [[fallthrough]];
    default: return read_with_outputs(call, kind, std::make_shared<const Job>(std::move(job)), std::move(then));
  }
}

}  // namespace

void read_job(const CallRef& call, const ViewKey& key, const Want& want, ReadThen then) {
  plans::find_job(call, key.id, [call, kind = key.kind, want, then = std::move(then)](Result<Job> job) mutable {
    if (job.code() == Code::not_found) return then(absent(forms_of(kind)));
    if (!job.ok()) return then(job.status());
    show(call, kind, want, *std::move(job), std::move(then));
  });
}

}  // namespace muster::resp::views
