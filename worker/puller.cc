#include "worker/puller.h"

#include <fmt/format.h>

#include "base/log.h"
#include "worker/exit.h"
#include "worker/refusal.h"
#include "worker/registration.h"

namespace muster::worker {
namespace {

using sdk::resp::Value;
using sdk::resp::Words;

constexpr Duration kSlotStep{200};         // between looks at what the server says unasked, while no slot is free
constexpr Duration kAnswerMargin{15'000};  // beyond the wait that was asked for: then the connection is dead
constexpr sdk::Backoff::Limits kTries{.min = std::chrono::seconds(1), .max = std::chrono::seconds(60)};
constexpr std::string_view kVerifyPush = "worker.verify";
constexpr std::string_view kHeld = "already registered";

}  // namespace

Puller::Puller(PullerOptions options, PullerSeams seams, Pause& pause)
    : options_(std::move(options)),
      seams_(std::move(seams)),
      pause_(pause),
      client_(options_.client),
      backoff_(kTries, options_.seed) {
  client_.on_push([this](const Value& push) {
    if (push.items.size() < 3 || push.items[0].text != kVerifyPush) return;
    auto challenge = parse_verification(push.items[1].text, push.items[2].text);
    if (challenge.ok())
      seams_.verify(std::move(*challenge));
    else
      log::warn("a challenge cannot be read", {{"error", challenge.status().message()}});
  });
}

void Puller::stop() {
  stopping_ = true;
  client_.wake();
}

void Puller::abort() {
  aborting_ = true;
  stop();
}

void Puller::register_again() {
  again_ = true;
  client_.wake();
}

std::optional<Fatal> Puller::fatal() const {
  const std::lock_guard lock(mutex_);
  return fatal_;
}

bool Puller::end(int exit_code, std::string text) {
  const std::lock_guard lock(mutex_);
  fatal_ = Fatal{.exit_code = exit_code, .text = std::move(text)};
  stopping_ = true;
  return false;
}

void Puller::run() {
  while (!stopping_) {
    if (!ready()) {
      if (stopping_ || !pause_.wait(backoff_.next())) return;
      continue;
    }
    if (!seams_.slot_free(kSlotStep)) {
      // Nobody waits for an answer now, but the server may ask for a verification, or be gone.
      if (const auto pushes = client_.read_pushes(); !pushes.ok()) lose(pushes.error().detail);
      continue;
    }
    if (!stopping_) pull();
  }
}

void Puller::lose(std::string_view why) {
  if (!outage_told_) log::warn("the server is away", {{"address", options_.client.address.text()}, {"error", std::string(why)}});
  outage_told_ = true;
  client_.close();
  registered_ = false;
}

bool Puller::ready() {
  if (again_.exchange(false)) {
    client_.close();
    registered_ = false;
  }
  if (client_.connected() && registered_) return true;
  registered_ = false;
  if (const auto open = client_.connect(); !open.ok()) {
    const bool refused = open.error().code == sdk::Code::unauthenticated;
    if (refused && !ever_registered_) return end(kExitRefused, "the server refused the key: " + open.error().detail);
    if (options_.once && !ever_registered_) return end(kExitUnreachable, open.error().detail);
    lose(open.error().detail);
    return false;
  }
  return register_now();
}

sdk::Result<Value> Puller::say_register() {
  auto reply = client_.call({"WORKER.REGISTER", options_.registration});
  const bool held = reply.ok() && reply->is_error() && reply->text.find(kHeld) != std::string::npos;
  if (!held || !ever_registered_ || options_.client.key.empty()) return reply;
  // Our earlier connection lingers at the server. The key together with the id says that this one is the same worker; a worker
  // that only starts does not say so, since another process may hold the id rightly.
  if (auto known = client_.call({"AUTH", options_.worker_id, options_.client.key}); !known.ok() || known->is_error())
    return reply;
  return client_.call({"WORKER.REGISTER", options_.registration});
}

bool Puller::register_now() {
  const auto reply = say_register();
  if (!reply.ok()) {
    lose(reply.error().detail);
    return false;
  }
  if (reply->is_error()) {
    const bool held = reply->text.find(kHeld) != std::string::npos;
    const bool later = read_refusal(reply->text) == Refusal::later;
    ++refusals_;
    // An id is held until the server has noticed that our earlier connection is gone.
    if (!ever_registered_ && !later && (!held || refusals_ >= kFirstTriesMax))
      return end(kExitRefused, fmt::format("the server refused worker `{}`: {}", options_.worker_id, reply->text));
    if (held) seams_.drop_control();
    lose(reply->text);
    return false;
  }
  log::info(ever_registered_ ? "registered again" : "registered", {{"worker_id", options_.worker_id}});
  registered_ = true;
  outage_told_ = false;
  refusals_ = 0;
  backoff_.reset();
  seams_.registered(heartbeat_interval(reply->text));
  if (ever_registered_ || options_.adopts) adopt();
  ever_registered_ = true;
  return registered_;
}

void Puller::adopt() {
  auto running = client_.call({"JOBS.SEARCH", "running", "LIMIT", std::to_string(kProcessingMax)});
  // A server that cannot search shows the elements, which name most jobs.
  if (running.ok() && running->is_error())
    running = client_.call({"LRANGE", "queue:processing", "0", std::to_string(kProcessingMax - 1)});
  if (!running.ok()) return lose(running.error().detail);
  for (const Value& item : running->items) {
    const auto named = parse_job(item.text);
    const std::string id = named.ok() ? named->id : item.text;
    if (!item.is_text() || id.empty() || seams_.has_job(id)) continue;
    const auto owner = client_.call({"GET", "job:" + id + ":worker"});
    if (!owner.ok()) return lose(owner.error().detail);
    if (owner->text == options_.worker_id) fetch(id);
    if (!registered_) return;
  }
}

void Puller::fetch(const std::string& id) {
  const auto document = client_.call({"GET", "job:" + id});
  if (!document.ok()) return lose(document.error().detail);
  auto job = document->is_text() ? parse_job(document->text) : Result<Job>(Status::not_found("no document"));
  if (!job.ok()) {
    job = Job{.id = id};
    job->problem = Status::invalid_argument("the job is not a plan");
  }
  const bool over = !job->status.empty() && job->status != "running" && job->status != "pending";
  if (over || seams_.has_job(job->id)) return;
  log::info("takes up a job that was handed out before", {{"job_id", job->id}});
  while (!seams_.slot_free(kSlotStep))
    if (stopping_) return;
  seams_.start(std::move(*job));
}

sdk::Result<Value> Puller::pop() {
  const auto wait = options_.once ? kPopWaitOnce : kPopWait;
  Words words{"BRPOP"};
  for (const std::string& queue : options_.queues) words.push_back("queue:" + queue);
  words.push_back(std::to_string(wait.count()));
  if (auto sent = client_.send(words); !sent.ok()) return sent.error();
  bool nudged = false;
  while (true) {
    auto reply = client_.receive(std::chrono::duration_cast<Duration>(wait) + kAnswerMargin);
    if (!reply.ok() && reply.error().code == sdk::Code::interrupted) {
      if (aborting_) {
        client_.close();
        return reply;
      }
      // A heartbeat behind a blocked pop makes the server answer the pop at once: a job is either here or still in the queue.
      if ((stopping_ || again_) && !nudged) {
        nudged = true;
        if (auto sent = client_.send({"WORKER.HEARTBEAT", options_.worker_id}); !sent.ok()) return sent.error();
      }
      continue;
    }
    if (!reply.ok()) return reply;
    if (nudged) {
      const auto beat = client_.receive(kAnswerMargin);
      if (!beat.ok()) client_.close();
    }
    return reply;
  }
}

void Puller::pull() {
  const auto reply = pop();
  if (!reply.ok()) return lose(reply.error().detail);
  if (reply->is_error()) {
    log::warn("a pop was refused", {{"error", reply->text}});
    if (read_refusal(reply->text) == Refusal::unregistered) lose(reply->text);
    if (!stopping_ && !pause_.wait(backoff_.next())) stopping_ = true;
    return;
  }
  backoff_.reset();
  if (!reply->is_nil()) return take(*reply);
  if (options_.once && seams_.idle()) stopping_ = true;
}

void Puller::take(const Value& reply) {
  // One queue answers the element; several queues, or RESP3, answer the queue and the element.
  if (reply.kind == Value::Kind::array && reply.items.size() == 2) return take_element(reply.items[1].text);
  if (reply.is_text()) return take_element(reply.text);
  log::warn("a pop answered something that is no element", {});
}

void Puller::take_element(const std::string& element) {
  if (is_bare_id(element)) return fetch(element);
  auto job = parse_job(element);
  if (job.ok()) return seams_.start(std::move(*job));
  // It is ours all the same; the server knows its name.
  log::warn("an element is not a job", {{"error", job.status().message()}});
  adopt();
}

}  // namespace muster::worker
