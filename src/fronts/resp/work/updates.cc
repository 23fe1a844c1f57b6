// Outcomes and progress of jobs: JOB.UPDATE, SET job:<id>:status|stdout|stderr and LREM queue:processing.
//
// A report needs the fence under which its job is held. What was taken through this front is known (held_jobs.h); everything else
// is read, and judged by its state and its owner. A run of reports goes in parts in which no job stands twice: each part is
// settled with one call per kind of outcome.
#include <algorithm>
#include <memory>
#include <set>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/utf8.h"
#include "command/jobs.h"
#include "command/keys.h"
#include "command/speaker.h"
#include "fronts/resp/commands.h"
#include "fronts/resp/core.h"
#include "fronts/resp/plans/job_document.h"
#include "fronts/resp/plans/json_text.h"
#include "fronts/resp/wire/parser.h"
#include "fronts/resp/work/access.h"
#include "fronts/resp/work/held_jobs.h"
#include "fronts/resp/work/job_ids.h"
#include "fronts/resp/work/names.h"
#include "fronts/resp/work/roster.h"
#include "fronts/resp/work/top_level.h"
#include "fronts/resp/work/update_request.h"
#include "fronts/resp/work/work.h"
#include "fronts/resp/work/work_state.h"

namespace muster::resp::work {
namespace {

constexpr std::string_view kOfEarlierClaim = "of an earlier claim";
constexpr std::size_t kOutputInResultMax = 4 * 1024;  // of a stream; longer ones stay in their keys

struct Update {
  CallRef call;
  UpdateRequest request;
  std::optional<JobId> job;
  Fence fence{};
  bool known = false;    // the fence is from memory, so it may be an old one
  bool element = false;  // a removal is its outcome
  bool leased = true;    // false: the job has ended, and only what it wrote is to be kept
  bool answered() const { return call->answered(); }
  LeaseRef lease() const { return {*job, fence}; }
};

// Who reports on a job that it does not hold.
struct Foreign {
  std::string name;
  bool stranger = false;  // nothing says that it ever had the job
};

// --- answers ---

void answer_done(const Update& update) {
  if (update.request.report == Report::removal) return update.call->answer(wire::integer_reply(1));
  update.call->answer(wire::ok());
}

// Nothing to do, and nothing wrong.
void answer_ignored(const Update& update) {
  if (update.request.report == Report::removal) return update.call->answer(wire::integer_reply(0));
  update.call->answer(wire::ok());
}

void answer_unknown(const Update& update) {
  if (update.request.report == Report::removal) return update.call->answer(wire::integer_reply(0));
  update.call->fail(fmt::format("Job not found: {}", update.request.job));
}

// A report that came too late is taken and has no effect, where its dialect knows no refusal. Who never had the job is told.
void answer_foreign(const Update& update, const Foreign& foreign, const WorkerId& owner) {
  if (update.request.report == Report::removal || (!update.request.strict && !foreign.stranger)) return answer_ignored(update);
  update.call->fail(fmt::format("Worker {} cannot update job claimed by {}", foreign.name, owner.text()));
}

// --- judgement ---

// The job as it is held: by whom, under which fence, and whether a connection of the holder is open on this node.
struct Held {
  const WorkerId& owner;
  Fence fence{};
  bool connected = false;
};

// Who reports, when that is not who holds the job; nothing: it may.
std::optional<Foreign> foreign_reporter(const Update& update, const Held& job) {
  using command::ActsAs;
  using command::Standing;
  const Client& client = update.call->client();
  const WorkerId& acting = Roster::acting_as(client);
  command::Speaker speaker;
  if (const auto held = client.held.find(*update.job); held != client.held.end()) speaker.fence = held->second.fence;
  const std::string& told = update.request.worker;
  const bool is_operator = client.caller.role == command::Role::operator_role;
  if (!acting.empty())
    speaker.acts_as = acting == job.owner ? ActsAs::holder : ActsAs::others;
  else if (is_operator && told == job.owner.text())  // a worker that reports on a second connection, and signs
    speaker.acts_as = ActsAs::holder;
  const Standing standing = command::standing_of(speaker, {.fence = job.fence, .connected = job.connected});
  if (standing == Standing::late) {
    const bool earlier = acting.empty() || acting == job.owner;
    return Foreign{earlier ? std::string(kOfEarlierClaim) : acting.text()};
  }
  // Whoever took a job without a name may sign the report with one.
  if (!told.empty() && told != job.owner.text() && !is_anonymous(job.owner)) return Foreign{told};
  if (standing == Standing::stranger) return Foreign{client.caller.name, true};
  // A worker key may only report its own worker's jobs.
  if (standing == Standing::stand_in && !is_operator && !is_anonymous(job.owner)) return Foreign{client.caller.name};
  return std::nullopt;
}

bool is_repeat(const Update& update, const Job& job) {
  if (Roster::acting_as(update.call->client()) != job.worker || job.worker.empty()) return false;
  if (update.request.report == Report::completed) return job.state == JobState::completed;
  return update.request.report == Report::failed && job.state == JobState::dead && job.error && job.error->kind == kErrorReported;
}

// What is to be done about a report of a job that nobody holds. True: what it brings is to be kept.
bool judge_ended(Update& update, const Job& job, const std::optional<Foreign>& foreign) {
  const Report report = update.request.report;
  if (report == Report::output || report == Report::errors) {
    // What a finished job wrote may still come in, from its own worker.
    update.leased = false;
    if (is_finished(job.state) && !foreign && !update.known) return true;
    answer_ignored(update);
  } else if (report == Report::removal || !update.request.strict || is_repeat(update, job)) {
    answer_ignored(update);
  } else if (is_finished(job.state) && foreign && !job.worker.empty()) {
    answer_foreign(update, *foreign, job.worker);
  } else {
    update.call->fail(fmt::format("Invalid status transition: {} -> {}", plans::status_word(job), target_word(report)));
  }
  return false;
}

// What is to be done about a report whose job was read. False: it has been answered.
bool judge(Update& update, const Job& job) {
  const bool running = job.state == JobState::running;
  const bool connected = running && update.call->core().work_state->roster().open_connection_of(job.worker) != nullptr;
  const auto foreign = foreign_reporter(update, {.owner = job.worker, .fence = job.fence, .connected = connected});
  if (!running) return judge_ended(update, job, foreign);
  if (foreign || update.known) {
    // Known: it was held through this front under an older fence, and the claim of today is somebody else's.
    answer_foreign(update, foreign.value_or(Foreign{std::string(kOfEarlierClaim)}), job.worker);
    return false;
  }
  update.fence = job.fence;
  update.element = job.spec.type.text() == plans::kTypeElement;
  return true;
}

// --- what is written ---

std::string key_member(const JobId& job, const char* part) {
  return plans::json_string(fmt::format("job:{}:{}", plans::job_name(job), part));
}

// The result of a job that was reported by SET: its streams when they are short texts, else where they are.
Content streams_result(const JobId& job, const Taken* taken) {
  const bool inside = taken != nullptr && !taken->streams_apart && (taken->output || taken->errors);
  plans::ObjectText out;
  if (inside) {
    out.text("stderr", taken->errors.value_or(""));
    out.text("stdout", taken->output.value_or(""));
  } else {
    out.raw("stderr_key", key_member(job, "stderr"));
    out.raw("stdout_key", key_member(job, "stdout"));
  }
  return {.data = std::move(out).take(), .encoding = Encoding::json};
}

std::string failure_message(const Update& update, const Taken* taken) {
  if (update.request.strict) return update.request.message;
  return readable_error(taken != nullptr && taken->errors ? std::string_view(*taken->errors) : std::string_view());
}

// --- a run ---

class UpdateRun : public std::enable_shared_from_this<UpdateRun> {
 public:
  explicit UpdateRun(const CallRef& first) : core_(first->core()), client_(first->client_ref()) {}

  void expect(std::size_t updates) { updates_.reserve(updates); }
  // What a call says, or what its arguments would say if they were these.
  void add(const CallRef& call) { add(call, call->args()); }
  void add(const CallRef& call, const Args& args) {
    Update& update = updates_.emplace_back();
    update.call = call;
    const Status read = read_update(args, update.request);
    if (read.ok()) return;
    updates_.pop_back();
    refuse(call, read);
  }

  void start() { resolve(); }

 private:
  // Names become ids. What this front has in hand needs no reading.
  void resolve() {
    const HeldJobs& held_jobs = core_.work_state->held_jobs();
    std::vector<std::string> names;
    std::vector<std::size_t> places;
    std::set<JobId> elements;  // each of them is removed once, however many look the same
    for (std::size_t i = 0; i < updates_.size(); ++i) {
      Update& update = updates_[i];
      const bool removal = update.request.report == Report::removal;
      if (removal) update.job = held_jobs.find_element(*client_, update.request.job, elements);
      if (update.job) {
        elements.insert(*update.job);
        continue;
      }
      std::string name = removal ? name_in_element(update.request.job) : update.request.job;
      update.job = parse_job_id(name);
      if (update.job && held_jobs.knows(*update.job)) continue;
      names.push_back(std::move(name));
      places.push_back(i);
    }
    if (names.empty()) return next_part();
    resolve_jobs(core_, std::move(names),
                 [self = shared_from_this(), places = std::move(places)](const std::vector<Result<JobId>>& found) {
                   for (std::size_t i = 0; i < places.size(); ++i) {
                     Update& update = self->updates_[places[i]];
                     if (found[i].ok())
                       update.job = *found[i];
                     else if (found[i].code() == Code::not_found)
                       answer_unknown(update);
                     else
                       refuse(update.call, found[i].status());
                   }
                   self->next_part();
                 });
  }

  // An element that is not held under its own text is a job's name, or the document that a pop showed.
  static std::string name_in_element(const std::string& element) {
    const auto json = read_top_level(element);
    if (!json) return element;
    for (const char* name : {"job_id", "id"}) {
      const Member* id = json->find(name);
      if (id != nullptr && id->kind == Member::Kind::text) return std::string(id->text);
    }
    return {};
  }

  // The next reports in which no job stands twice.
  void next_part() {
    part_.clear();
    std::vector<JobId> jobs;  // sorted
    for (; next_ < updates_.size(); ++next_) {
      Update& update = updates_[next_];
      if (update.answered()) continue;
      const auto at = std::lower_bound(jobs.begin(), jobs.end(), *update.job);
      if (at != jobs.end() && *at == *update.job) break;
      jobs.insert(at, *update.job);
      part_.push_back(&update);
    }
    if (part_.empty()) return;
    locate();
  }

  // Finds the fence of every report, from memory if it can.
  void locate() {
    std::vector<Update*> ready;
    std::vector<Update*> unread;
    for (Update* update : part_) {
      HeldJobs& held_jobs = core_.work_state->held_jobs();
      if (update->request.report == Report::removal && held_jobs.take_removal(*update->job)) {
        answer_done(*update);
        continue;
      }
      const Taken* taken = held_jobs.find(*update->job);
      if (taken == nullptr) {
        unread.push_back(update);
        continue;
      }
      const auto holder = taken->client.lock();
      const bool connected = holder != nullptr && holder->open();
      if (const auto foreign =
              foreign_reporter(*update, {.owner = taken->worker, .fence = taken->fence, .connected = connected})) {
        answer_foreign(*update, *foreign, taken->worker);
        continue;
      }
      update->fence = taken->fence;
      update->known = true;
      update->element = taken->element;
      ready.push_back(update);
    }
    waiting_ = 1;
    apply(std::move(ready));
    read(std::move(unread));
    one_done();
  }

  void read(std::vector<Update*> updates) {
    if (updates.empty()) return;
    std::vector<command::JobGetRequest> jobs;
    jobs.reserve(updates.size());
    for (const Update* update : updates) jobs.push_back({*update->job});
    ++waiting_;
    auto found = [self = shared_from_this(), updates = std::move(updates)](Result<store::Each<Job>> read) {
      std::vector<Update*> ready;
      for (std::size_t i = 0; i < updates.size(); ++i) {
        Update& update = *updates[i];
        const Result<Job>& job = read.ok() ? (*read)[i] : Result<Job>(read.status());
        if (job.code() == Code::not_found || job.code() == Code::invalid_argument)
          answer_unknown(update);
        else if (!job.ok())
          refuse(update.call, job.status());
        else if (judge(update, *job)) {
          update.known = false;
          ready.push_back(&update);
        }
      }
      self->apply(std::move(ready));
      self->one_done();
    };
    core_.ask_all(client_->caller, std::move(jobs), std::move(found));
  }

  void one_done() {
    if (--waiting_ == 0) next_part();
  }

  // --- one call for each kind of outcome ---

  void apply(std::vector<Update*> updates) {
    std::vector<Update*> completed;
    std::vector<Update*> failed;
    std::vector<Update*> returned;
    std::vector<Update*> renewed;
    std::vector<Update*> progressed;
    std::vector<Update*> written;
    for (Update* update : updates) {
      switch (update->request.report) {
        case Report::completed: completed.push_back(update); break;
        case Report::failed: failed.push_back(update); break;
        case Report::returned: returned.push_back(update); break;
        case Report::running: renewed.push_back(update); break;
        case Report::progress: progressed.push_back(update); break;
        case Report::output:
        case Report::errors: written.push_back(update); break;
        case Report::removal:
          // Taking an element off the list is how its client says that it is done. A plan's job is told by its status.
          if (update->element)
            completed.push_back(update);
          else
            answer_done(*update);
          break;
      }
    }
    complete(std::move(completed));
    fail(std::move(failed));
    give_back(std::move(returned));
    renew(std::move(renewed));
    progress(std::move(progressed));
    write(std::move(written));
  }

  // The reply of a verb that answers each element: `good` is told the successes, the others are judged again.
  template <class T, class Good>
  Reply<store::Each<T>> each(std::vector<Update*> updates, Good good) {
    ++waiting_;
    return core_.on_loop<store::Each<T>>(
        [self = shared_from_this(), updates = std::move(updates), good](Result<store::Each<T>> answers) {
          std::vector<Update*> again;
          for (std::size_t i = 0; i < updates.size(); ++i) {
            Update& update = *updates[i];
            const Code code = answers.ok() ? (*answers)[i].code() : answers.code();
            if (code == Code::ok)
              good(*self, update);
            else if (code == Code::lease_lost || code == Code::not_found)
              self->lost(update, again);
            else
              refuse(update.call, answers.ok() ? (*answers)[i].status() : answers.status());
          }
          self->read(std::move(again));
          self->one_done();
        });
  }

  // The fence was old. From memory: what the job is now decides. Just read: it moved on this very moment.
  void lost(Update& update, std::vector<Update*>& again) {
    if (update.known) {
      core_.work_state->roster().look_into({update.lease()});
      core_.work_state->held_jobs().forget(update.lease());
      again.push_back(&update);
    } else if (update.request.strict) {
      update.call->fail(fmt::format("Job {} is no longer claimed; its report came too late", update.request.job));
    } else {
      answer_ignored(update);
    }
  }

  void settled(const Update& update) {
    HeldJobs& held_jobs = core_.work_state->held_jobs();
    if (update.request.report == Report::removal)
      held_jobs.forget(*update.job);
    else
      held_jobs.settled(*update.job, !update.request.strict);
    answer_done(update);
  }

  void complete(std::vector<Update*> updates) {
    if (updates.empty()) return;
    std::vector<store::Completion> batch;
    batch.reserve(updates.size());
    for (Update* update : updates) {
      store::Completion item{.lease = update->lease(), .result = std::nullopt};
      if (update->request.results)
        item.result = Content{.data = *std::move(update->request.results), .encoding = Encoding::json};
      else if (update->request.report == Report::completed)
        item.result = streams_result(*update->job, core_.work_state->held_jobs().find(*update->job));
      batch.push_back(std::move(item));
    }
    auto reply = each<store::Settled>(std::move(updates), [](UpdateRun& run, Update& update) { run.settled(update); });
    core_.door.run_all(client_->caller, std::move(batch), std::move(reply));
  }

  void fail(std::vector<Update*> updates) {
    if (updates.empty()) return;
    std::vector<store::ProgressUpdate> traces;
    std::vector<store::Failure> batch;
    for (Update* update : updates) {
      const Taken* taken = core_.work_state->held_jobs().find(*update->job);
      batch.push_back({.lease = update->lease(),
                       .error = {kErrorReported, failure_message(*update, taken)},
                       .retryable = core_.options.compat_flags.failures_retry,
                       .delay = std::nullopt});
      // A failure has no result of its own; what its tasks did is left beside it.
      if (update->request.results && update->request.results->size() <= limits::kPartialBytesMax)
        traces.push_back({.lease = update->lease(),
                          .fraction = 1,
                          .message = {},
                          .partial = Content{.data = *std::move(update->request.results), .encoding = Encoding::json}});
    }
    auto reply = each<store::Settled>(std::move(updates), [](UpdateRun& run, Update& update) { run.settled(update); });
    if (traces.empty()) return core_.door.run_all(client_->caller, std::move(batch), std::move(reply));
    // Whatever came of the traces, the failure itself decides.
    core_.door.run_all(client_->caller, std::move(traces),
                       [&door = core_.door, client = client_, batch = std::move(batch),
                        reply = std::move(reply)](const Result<store::Each<store::Renewed>>&) mutable {
                         door.run_all(client->caller, std::move(batch), std::move(reply));
                       });
  }

  void give_back(std::vector<Update*> updates) {
    std::vector<Update*> asked;
    std::vector<store::Release> batch;
    for (Update* update : updates) {
      if (update->request.strict) {
        update->call->fail("Invalid status transition: running -> pending");
        continue;
      }
      batch.push_back({.lease = update->lease(), .reason = "the worker returned it"});
      asked.push_back(update);
    }
    if (batch.empty()) return;
    auto reply = each<store::Settled>(std::move(asked), [](UpdateRun& run, Update& update) { run.settled(update); });
    core_.door.run_all(client_->caller, std::move(batch), std::move(reply));
  }

  void renew(std::vector<Update*> updates) {
    if (updates.empty()) return;
    std::vector<store::Renewal> batch;
    for (const Update* update : updates) batch.push_back({.lease = update->lease(), .ttl = std::nullopt});
    auto reply = each<store::Renewed>(std::move(updates), [](UpdateRun&, Update& update) { answer_done(update); });
    core_.door.run_all(client_->caller, std::move(batch), std::move(reply));
  }

  void progress(std::vector<Update*> updates) {
    if (updates.empty()) return;
    std::vector<store::ProgressUpdate> batch;
    for (const Update* update : updates)
      batch.push_back({.lease = update->lease(),
                       .fraction = update->request.fraction,
                       .message = update->request.message,
                       .partial = std::nullopt});
    auto reply = each<store::Renewed>(std::move(updates), [](UpdateRun&, Update& update) { answer_done(update); });
    core_.door.run_all(client_->caller, std::move(batch), std::move(reply));
  }

  // Streams are not fenced, so the lease is looked at first: a late report must not replace what its successor wrote.
  void write(std::vector<Update*> updates) {
    std::vector<Update*> free;
    std::vector<Update*> leased;
    for (Update* update : updates) (update->leased ? leased : free).push_back(update);
    keep(std::move(free));
    if (leased.empty()) return;
    std::vector<store::Renewal> batch;
    for (const Update* update : leased) batch.push_back({.lease = update->lease(), .ttl = std::nullopt});
    auto reply = each<store::Renewed>(std::move(leased), [](UpdateRun& run, Update& update) { run.keep({&update}); });
    core_.door.run_all(client_->caller, std::move(batch), std::move(reply));
  }

  // Streams are kept under names of the job's own, and short texts are remembered for its result.
  void keep(std::vector<Update*> updates) {
    if (updates.empty()) return;
    store::KeyBatch batch;
    batch.space = store::KeySpace::internal;
    for (Update* update : updates) {
      const bool output = update->request.report == Report::output;
      if (Taken* taken = core_.work_state->held_jobs().find(*update->job); taken != nullptr) {
        const std::string& value = update->request.value;
        if (value.size() <= kOutputInResultMax && is_utf8(value))
          (output ? taken->output : taken->errors) = value;
        else
          taken->streams_apart = true;
      }
      store::key::Set set;
      set.key = output ? command::output_key(*update->job) : command::errors_key(*update->job);
      set.value = std::move(update->request.value);
      set.expires_at = Instant(core_.options.output_kept);
      set.relative = true;
      batch.commands.emplace_back(std::move(set));
    }
    ++waiting_;
    auto done = [self = shared_from_this(), updates = std::move(updates)](Result<std::vector<store::KeyAnswer>> answers) {
      for (std::size_t i = 0; i < updates.size(); ++i) {
        if (!answers.ok())
          refuse(updates[i]->call, answers.status());
        else if ((*answers)[i].kind == store::KeyAnswer::Kind::refused)
          updates[i]->call->fail((*answers)[i].text);
        else
          answer_done(*updates[i]);
      }
      self->one_done();
    };
    core_.ask(client_->caller, command::KeysWriteRequest{std::move(batch)}, std::move(done));
  }

  Core& core_;
  const std::shared_ptr<Client> client_;
  std::vector<Update> updates_;
  std::size_t next_ = 0;       // the first report of the part after this one
  std::vector<Update*> part_;  // into updates_, which no longer grows
  std::size_t waiting_ = 0;    // answers this part still waits for
};

}  // namespace

void set_job_part(const CallRef& call, std::string job, JobPart part, std::string value) {
  const char* names[] = {"status", "stdout", "stderr"};
  const auto run = std::make_shared<UpdateRun>(call);
  run->add(call, {"SET", fmt::format("job:{}:{}", job, names[static_cast<std::size_t>(part)]), std::move(value)});
  run->start();
}

void remove_processing(const CallRef& call) { run_updates(std::make_shared<const CallGroup>(1, call)); }

}  // namespace muster::resp::work

namespace muster::resp {

void run_updates(const CallGroupRef& calls) {
  const auto run = std::make_shared<work::UpdateRun>(calls->front());
  run->expect(calls->size());
  for (const CallRef& call : *calls) run->add(call);
  run->start();
}

}  // namespace muster::resp
