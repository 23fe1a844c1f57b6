#include "fronts/resp/work/verify.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/json_reader.h"
#include "command/jobs.h"
#include "command/keys.h"
#include "command/single.h"
#include "command/workers.h"
#include "fronts/resp/clients.h"
#include "fronts/resp/core.h"
#include "fronts/resp/plans/job_document.h"
#include "fronts/resp/work/access.h"
#include "fronts/resp/work/handlers.h"
#include "fronts/resp/work/held_jobs.h"
#include "fronts/resp/work/names.h"
#include "fronts/resp/work/roster.h"
#include "fronts/resp/work/work.h"
#include "fronts/resp/work/work_state.h"
#include "plan/plan.h"

namespace muster::resp::work {
namespace {

using Json = json::Tree;

constexpr const char* kQueue = "ready";  // where workers of every dialect look
constexpr std::size_t kCandidatesMax = 100;

Json to_json(const Question& question) {
  return {{"args", question.args}, {"command", question.command}, {"id", question.id}, {"tool", question.tool}};
}

// `+OK output="…"` on one line.
std::string shown_output(std::string_view output) {
  while (!output.empty() && (output.back() == '\n' || output.back() == '\r')) output.remove_suffix(1);
  std::string text;
  for (const char c : output.substr(0, Verifications::kOutputShownMax)) {
    if (c == '"' || c == '\\')
      text += {'\\', c};
    else if (c == '\n')
      text += "\\n";
    else
      text += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
  }
  std::string out;
  wire::simple(out, fmt::format("OK output=\"{}\"", text));
  return out;
}

std::optional<Json> read_object(std::string_view text) {
  if (text.size() > Verifications::kQuestionBytesMax) return std::nullopt;
  return json::parse_object(text);
}

Status bad(std::string_view details) { return Status::invalid_argument(fmt::format("Invalid verification: {}", details)); }

Status read_args(const Json& root, Question& question) {
  const Json* args = json::member(root, "args");
  if (args == nullptr) return {};
  if (!args->is_array() || args->size() > plan::kArgumentsMax)
    return bad(fmt::format("args must be an array of up to {} strings", plan::kArgumentsMax));
  question.args.clear();
  for (const Json& arg : *args) {
    const auto* word = arg.get_ptr<const std::string*>();
    if (word == nullptr) return bad("args must be strings");
    question.args.push_back(*word);
  }
  return {};
}

// The words must be ones that a worker would run as part of a plan.
Status validate_words(const Question& question) {
  if (question.tool.empty() || !validate_capability(plan::tool_capability(question.tool)).ok()) return bad("no such tool can be");
  if (Status status = plan::validate_word("command", question.command); !status.ok()) return bad(status.message());
  for (const std::string& arg : question.args)
    if (Status status = plan::validate_word("argument", arg); !status.ok()) return bad(status.message());
  return {};
}

Result<Question> read_question(const std::string& tool, const std::string* text) {
  Question question{.id = {}, .tool = tool, .command = tool, .args = {"--version"}};
  if (text != nullptr) {
    const auto root = read_object(*text);
    if (!root) return bad("expected a JSON object");
    if (root->contains("command")) {
      const std::string* command = json::text(*root, "command");
      if (command == nullptr) return bad("command must be a string");
      question.command = *command;
    }
    if (Status status = read_args(*root, question); !status.ok()) return status;
  }
  if (Status status = validate_words(question); !status.ok()) return status;
  return question;
}

Result<Verdict> read_verdict(const Json& root) {
  Verdict verdict;
  const std::string* id = json::text(root, "id");
  if (id == nullptr && root.contains("id")) return bad("id must be a string");
  if (id != nullptr) verdict.id = *id;
  const std::string* output = json::text(root, "output");
  if (output == nullptr && root.contains("output")) return bad("output must be a string");
  if (output != nullptr) verdict.output = *output;
  const auto code = json::integer(root, "exit_code");
  if (!code && root.contains("exit_code")) return bad("exit_code must be an integer");
  verdict.exit_code = code.value_or(0);
  return verdict;
}

bool may_ask(const CallRef& call) {
  if (call->client().caller.role == command::Role::operator_role) return true;
  call->fail("NOPERM this key may not ask for verifications");
  return false;
}

}  // namespace

std::string verified_key(const WorkerId& worker, SessionId session) {
  return fmt::format("worker:{}:{}:verified", worker.text(), to_number(session));
}

bool says_verified(std::string_view verdict) {
  const auto root = json::parse(verdict);
  return root && json::flag(*root, "verified").value_or(false);
}

Verifications::Verifications(Core& core) : core_(core), ids_(core.clock(), random_seed()) {}

// --- the operator asks ---

void Verifications::ask(const CallRef& call, const WorkerId& worker, Question question) {
  auto found = [this, call, worker, question = std::move(question)](Result<Worker> known) mutable {
    const bool live = known.ok() && known->state != WorkerState::offline && !is_anonymous(worker);
    if (!known.ok() && known.code() != Code::not_found && known.code() != Code::invalid_argument)
      return refuse(call, known.status());
    if (!live) return call->fail(fmt::format("Worker not registered: {}", worker.text()));
    if (is_pinged(known->spec)) return call->fail(fmt::format("Worker {} registered by PING and cannot be asked", worker.text()));
    const std::string needed = plan::tool_capability(question.tool);
    if (!known->spec.capabilities.covers(CapabilitySet({needed})))
      return call->fail(fmt::format("Worker {} does not offer {}", worker.text(), question.tool));
    ask_registered(call, *known, std::move(question));
  };
  core_.ask(call->client().caller, command::WorkerGetRequest{.worker = worker}, std::move(found));
}

void Verifications::ask_any(const CallRef& call, Question question) {
  store::WorkerQuery query;
  query.ns = default_namespace();
  query.states = {WorkerState::online};
  query.capability = plan::tool_capability(question.tool);
  query.limit = kCandidatesMax;
  auto found = [this, call, question = std::move(question)](Result<store::WorkerPage> page) mutable {
    if (!page.ok()) return refuse(call, page.status());
    const auto able = std::find_if(page->workers.begin(), page->workers.end(), [](const Worker& worker) {
      return worker.spec.dialect == Dialect::resp && !is_pinged(worker.spec) && !is_anonymous(worker.spec.id);
    });
    if (able == page->workers.end()) return call->fail(fmt::format("No worker that can be asked offers {}", question.tool));
    ask_registered(call, *able, std::move(question));
  };
  core_.ask(call->client().caller, std::move(query), std::move(found));
}

void Verifications::ask_registered(const CallRef& call, const Worker& worker, Question question) {
  if (pending_.size() >= kPendingMax)
    return call->fail(fmt::format("{} verifications are under way, which is the most; try again later", pending_.size()));
  question.id = "verify_" + ids_.next().hex();
  pending_[question.id] = {.call = call,
                           .worker = worker.spec.id,
                           .session = worker.session,
                           .tool = question.tool,
                           .until = core_.now() + kAnswerWithin};
  call->on_interrupt([this, id = question.id](Call::Interrupt) { fail(id, "Verification is still under way"); });
  core_.work_state->arm();
  carry(worker, question);
}

void Verifications::carry(const Worker& worker, const Question& question) {
  const auto client = core_.work_state->roster().open_connection_of(worker.spec.id);
  if (client == nullptr || client->protocol != Protocol::resp3) return enqueue(worker, question);
  carried_[question.id] = {.worker = worker.spec.id,
                           .tool = question.tool,
                           .client = client->id,
                           .lease = std::nullopt,
                           .until = core_.now() + kAnswerWithin};
  std::string bytes;
  wire::push(bytes, 3, Protocol::resp3);
  wire::bulk(bytes, "worker.verify");
  wire::bulk(bytes, question.tool);
  wire::bulk(bytes, json::dump(to_json(question)));
  core_.clients->push(client->id, std::move(bytes));
}

void Verifications::enqueue(const Worker& worker, const Question& question) {
  JobSpec spec;
  spec.queue = QueueName(kQueue);
  spec.type = JobType(kTypeVerify);
  spec.payload = {.data = json::dump(to_json(question)), .encoding = Encoding::json};
  spec.needs = CapabilitySet({worker_capability(worker.spec.id.text())});
  spec.priority = limits::kPriorityMax;
  spec.expires_in = kAnswerWithin;
  spec.timeout = kAnswerWithin;
  spec.retry.attempts_max = 1;
  spec.rescues_max = 0;
  auto done = [this, id = question.id](const Result<store::Enqueued>& enqueued) {
    if (!enqueued.ok()) fail(id, error_text(enqueued.status()));
  };
  core_.ask(command::itself(), command::JobSubmitRequest{std::move(spec)}, std::move(done));
}

std::optional<std::string> Verifications::question(const std::shared_ptr<Client>& client, const Grant& grant) {
  auto root = read_object(grant.payload.data);
  const std::string* id = root ? json::text(*root, "id") : nullptr;
  const std::string* tool = root ? json::text(*root, "tool") : nullptr;
  if (id == nullptr || id->empty() || tool == nullptr) return std::nullopt;
  carried_[*id] = {.worker = Roster::acting_as(*client),
                   .tool = *tool,
                   .client = client->id,
                   .lease = LeaseRef{grant.id, grant.fence},
                   .until = core_.now() + kAnswerWithin};
  return json::dump({{"job_id", plans::job_name(grant.id)}, {"verify", *std::move(root)}});
}

// --- the worker answers ---

void Verifications::answer(const CallRef& call, const std::string& tool, Verdict verdict) {
  const WorkerId worker = Roster::acting_as(call->client());
  auto at = carried_.find(verdict.id);
  // A worker that has been asked one thing need not say which.
  if (verdict.id.empty())
    at = std::find_if(carried_.begin(), carried_.end(),
                      [&](const auto& entry) { return entry.second.worker == worker && entry.second.tool == tool; });
  if (at == carried_.end() || at->second.worker != worker || at->second.tool != tool)
    return call->fail(fmt::format("No verification of {} is under way", tool));
  verdict.id = at->first;
  const Carried carried = at->second;
  carried_.erase(at);
  if (carried.lease) {
    core_.work_state->held_jobs().forget(carried.lease->job);
    core_.ask(call->client().caller, command::JobCompleteRequest{.lease = *carried.lease, .result = std::nullopt},
              [](const Result<store::Settled>&) {});
  }
  call->answer(shown_output(verdict.output));
  keep(worker, tool, verdict);
  decide(verdict.id, verdict);
}

void Verifications::keep(const WorkerId& worker, const std::string& tool, Verdict verdict) {
  auto known = [this, tool, verdict = std::move(verdict)](Result<Worker> found) {
    if (!found.ok()) return;
    const std::string key = verified_key(found->spec.id, found->session);
    const Json kept{{"at", to_ms(core_.now()) / 1000},
                    {"exit_code", verdict.exit_code},
                    {"id", verdict.id},
                    {"output", verdict.output.substr(0, kOutputShownMax)},
                    {"verified", verdict.verified()}};
    store::KeyBatch batch;
    batch.space = store::KeySpace::internal;
    store::key::HashSet set;
    set.key = key;
    set.fields = {{tool, json::dump(kept)}};
    store::key::Expire expire;
    expire.key = key;
    expire.at = Instant(kWorkerFactsKept);
    expire.relative = true;
    batch.commands = {std::move(set), std::move(expire)};
    core_.ask(command::itself(), command::KeysWriteRequest{std::move(batch)}, [](const Result<command::KeysReply>&) {});
  };
  core_.ask(command::itself(), command::WorkerGetRequest{.worker = worker}, std::move(known));
}

void Verifications::decide(const std::string& id, const Verdict& verdict) {
  const auto at = pending_.find(id);
  if (at == pending_.end()) return;
  const CallRef call = std::move(at->second.call);
  pending_.erase(at);
  if (call->answered()) return;
  if (verdict.verified()) return call->answer(shown_output(verdict.output));
  call->fail(fmt::format("Verification failed: exit code {}", verdict.exit_code));
}

void Verifications::fail(const std::string& id, std::string_view text) {
  const auto at = pending_.find(id);
  if (at == pending_.end()) return;
  const CallRef call = std::move(at->second.call);
  pending_.erase(at);
  if (!call->answered()) call->fail(text);
}

void Verifications::closed(const Client& client) {
  std::erase_if(carried_, [&](const auto& entry) { return entry.second.client == client.id; });
}

void Verifications::tick(Instant now) {
  std::erase_if(carried_, [&](const auto& entry) { return entry.second.until <= now; });
  std::vector<std::string> late;
  for (const auto& [id, pending] : pending_) {
    if (pending.until <= now)
      late.push_back(id);
    else if (!carried_.contains(id))
      look(id, pending);
  }
  for (const std::string& id : late) fail(id, "Verification timed out");
}

// The worker may be at another node, which keeps its verdict where this one can read it.
void Verifications::look(const std::string& id, const Pending& pending) {
  store::KeyBatch batch;
  batch.space = store::KeySpace::internal;
  batch.commands = {store::key::HashGet{.key = verified_key(pending.worker, pending.session), .field = pending.tool}};
  auto read = [this, id](Result<std::vector<store::KeyAnswer>> answers) {
    if (!answers.ok() || answers->front().kind != store::KeyAnswer::Kind::text) return;
    const auto root = json::parse_object(answers->front().text);
    if (!root) return;
    const auto verdict = read_verdict(*root);
    if (verdict.ok() && verdict->id == id) decide(id, *verdict);
  };
  core_.ask(command::itself(), command::KeysReadRequest{std::move(batch)}, std::move(read));
}

// --- the command ---

void verify_worker(const CallRef& call) {
  Verifications& verifications = call->core().work_state->verifications();
  const bool is_object = call->size() == 3 && call->arg(2).starts_with('{');
  if (!is_object) {
    if (!may_ask(call)) return;
    auto question = read_question(call->arg(2), call->size() > 3 ? &call->arg(3) : nullptr);
    if (!question.ok()) return refuse(call, question.status());
    return verifications.ask(call, WorkerId(call->arg(1)), *std::move(question));
  }
  const auto root = read_object(call->arg(2));
  if (!root) return refuse(call, bad("expected a JSON object"));
  if (root->contains("command") || root->contains("args")) {
    if (!may_ask(call)) return;
    auto question = read_question(call->arg(1), &call->arg(2));
    if (!question.ok()) return refuse(call, question.status());
    return verifications.ask_any(call, *std::move(question));
  }
  if (Roster::acting_as(call->client()).empty()) return call->fail("This connection acts as no worker; use WORKER.REGISTER");
  auto verdict = read_verdict(*root);
  if (!verdict.ok()) return refuse(call, verdict.status());
  verifications.answer(call, call->arg(1), *std::move(verdict));
}

}  // namespace muster::resp::work
