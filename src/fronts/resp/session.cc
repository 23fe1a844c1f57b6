#include "fronts/resp/session.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/utf8.h"
#include "fronts/resp/admission.h"
#include "fronts/resp/keyspace/transaction.h"
#include "fronts/resp/link/channels.h"
#include "fronts/resp/meter.h"
#include "fronts/resp/work/work_state.h"

namespace muster::resp {
namespace {

constexpr std::size_t kSlotsKept = 64;
constexpr std::string_view kLateFrame = "Protocol error: the command did not arrive in time";
constexpr std::string_view kQueued = "+QUEUED\r\n";
constexpr std::size_t kCallBytes = 512;  // of a command that waits, beside its arguments

wire::Bounds bounds_of(const Limits& limits, bool authenticated) {
  if (authenticated)
    return {.message_bytes_max = limits.message_bytes_max,
            .value_bytes_max = limits.value_bytes_max,
            .elements_max = limits.elements_max,
            .inline_bytes_max = limits.inline_bytes_max};
  return {.message_bytes_max = limits.unauthenticated_bytes_max,
          .value_bytes_max = limits.unauthenticated_bytes_max,
          .elements_max = limits.unauthenticated_elements_max,
          .inline_bytes_max = std::min(limits.inline_bytes_max, limits.unauthenticated_bytes_max)};
}

std::size_t bytes_of(const Args& args) {
  std::size_t bytes = kCallBytes + args.capacity() * sizeof(std::string);
  for (const std::string& arg : args) bytes += arg.size();
  return bytes;
}

void capitalise(std::string& name) {
  for (char& c : name)
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
}

bool changes_identity(std::string_view name) { return name == "AUTH" || name == "HELLO" || name == "RESET"; }

// A client that sends one of these no longer waits for the pop before it.
bool is_heartbeat(const Args& args) { return (args[0] == "PING" && args.size() == 2) || args[0] == "WORKER.HEARTBEAT"; }

}  // namespace

RespSession::RespSession(std::shared_ptr<Core> core, net::Connection& connection)
    : core_(std::move(core)),
      connection_(connection),
      client_(core_->clients->add(connection.peer_address(), core_->now(), *this)),
      parser_(bounds_of(core_->options.limits, false), core_->options.limits.depth_max) {}

RespSession::~RespSession() = default;

void RespSession::begin(Entrance entrance) {
  auth_needed_ = entrance.auth_needed;
  client_->pairs = core_->options.compat_flags.pop_answers_pair;
  client_->auth_needed = auth_needed_;
  client_->caller.address = client_->address;
  if (!auth_needed_) {
    client_->authenticated = true;
    client_->caller.role = command::Role::operator_role;
    client_->caller.name = "anonymous";
  }
  set_bounds();
  arm();
}

void RespSession::set_bounds() { parser_.set_bounds(bounds_of(core_->options.limits, client_->authenticated)); }

// One deadline at a time, the next of those that run: for silence, for the command that is being read, and for authentication.
void RespSession::arm() {
  const Limits& limits = core_->options.limits;
  const Ticks now = core_->loop.clock().elapsed();
  const Duration silence = client_->authenticated ? limits.idle : limits.unauthenticated_idle;
  Ticks due = silence > Duration::zero() ? now + silence : Ticks::max();
  if (client_->authenticated)
    authenticate_by_ = Ticks::max();
  else if (authenticate_by_ == Ticks::max())
    authenticate_by_ = now + limits.authenticate_within;
  due = std::min(due, authenticate_by_);
  if (frame_due_) due = std::min(due, *frame_due_);
  if (due == Ticks::max())
    connection_.never_expire_reading();
  else
    connection_.expire_reading_in(std::chrono::ceil<Duration>(std::max(due - now, Ticks::zero())));
}

// A command has all its time again after the session itself stalled it.
void RespSession::follow_frame(bool was_open) {
  if (parser_.idle() || !input_.empty() || input_ended_)
    frame_due_.reset();
  else if (!frame_due_)
    frame_due_ = core_->loop.clock().elapsed() + core_->options.limits.frame_read;
  if (frame_due_ || was_open) arm();
}

void RespSession::client_changed() {
  set_bounds();
  arm();
}

bool RespSession::waiting() const {
  return std::any_of(slots_.begin(), slots_.end(),
                     [](const Slot& slot) { return slot.begun && !slot.done() && slot.call->interruptible(); });
}

bool RespSession::stalled() {
  report_held();
  const bool alone = slots_.empty() && connection_.unsent() == 0;
  return slots_.size() >= core_->options.limits.pipeline_max || !(alone ? connection_.node_has_room() : connection_.has_room()) ||
         // What follows an AUTH is judged by its outcome, its size included.
         (gates_ > 0 && !client_->authenticated);
}

// Commands that wait fill no room that beginning them would not empty: what counts is what is on its way out.
bool RespSession::output_full() {
  if (client_->answer_bytes >= kRunAnswerBytesMax) return true;
  return (client_->answer_bytes > 0 || connection_.unsent() > 0) && !connection_.has_room();
}

void RespSession::report_held() {
  const std::size_t kept = transaction_ ? transaction_->bytes : 0;
  connection_.hold(request_bytes_ + kept + client_->answer_bytes + input_.size() + parser_.buffered());
}

void RespSession::received(std::string_view bytes) {
  if (input_ended_) return;
  client_->active_at = core_->now();
  if (!client_->authenticated || core_->options.limits.idle > Duration::zero()) arm();
  if (!input_.empty()) {
    input_.append(bytes);
    return;
  }
  read(bytes);
}

void RespSession::read(std::string_view bytes) {
  const bool frame_was_open = frame_due_.has_value();
  reading_ = true;
  while (!bytes.empty() && !input_ended_ && !stalled()) {
    const wire::Parser::Step step = parser_.feed(bytes);
    bytes.remove_prefix(step.used);
    if (step.outcome != wire::Parser::Outcome::more) frame_due_.reset();
    if (step.outcome == wire::Parser::Outcome::command)
      take(parser_.take());
    else if (step.outcome == wire::Parser::Outcome::refused)
      refuse(parser_.refusal().text, parser_.refusal().close);
  }
  if (input_ended_) bytes = {};
  input_.assign(bytes);
  if (input_.empty() && input_.capacity() > wire::kTextKept) input_.shrink_to_fit();
  reading_ = false;
  pump();
  send_ready();
  if (closed_ || connection_.closing()) return;
  follow_frame(frame_was_open);
  if (!input_.empty())
    connection_.pause_reading();
  else
    connection_.resume_reading();
  if (!input_.empty() && !stalled()) schedule_turn();
  finish_if_done();
}

void RespSession::refuse(std::string text, bool close) {
  Slot& slot = slots_.emplace_back();
  if (!text.empty()) slot.bytes = wire::error_reply(text);
  slot.request_bytes = kCallBytes;
  request_bytes_ += slot.request_bytes;
  client_->answer_bytes += slot.bytes.size();
  slot.close_after = close;
  if (!close) return;
  client_->ended_because = std::move(text);
  input_ended_ = true;
  interrupt_waiting();
}

void RespSession::take(wire::Words words) {
  if (words.not_bulk == 0) return refuse(std::string(kExpectedBulk), false);
  if (!is_utf8(words.words[0])) return refuse(std::string(kInvalidUtf8), false);
  capitalise(words.words[0]);
  const Entry* entry = find_command(words.words[0]);
  core_->meter->count(entry);
  client_->last_command.assign(words.words[0], 0, kShownNameBytesMax);
  std::string text = objection(entry, words);
  const bool is_part = transaction_ != nullptr && (entry == nullptr || !is_about_transaction(*entry));
  if (text.empty() && is_part) text = objection_to_next_part(*entry, words.words);
  if (!text.empty()) {
    core_->meter->count_refusal();
    if (is_part) transaction_->broken = true;
    return refuse(std::move(text), false);
  }
  if (is_part) return keep(*entry, std::move(words.words));

  Slot& slot = slots_.emplace_back();
  slot.flow = flow_of(*entry, words.words);
  // Commands that go in groups are about keys and jobs; the others may be about the connection.
  const bool by_itself = entry->flow == Flow::local || entry->flow == Flow::alone;
  if (by_itself) {
    slot.gate = changes_identity(entry->name);
    slot.heartbeat = is_heartbeat(words.words);
    slot.close_after = entry->name == "QUIT";
  }
  slot.request_bytes = bytes_of(words.words);
  request_bytes_ += slot.request_bytes;
  slot.call = std::make_shared<Call>(*core_, client_, *entry, std::move(words.words));
  slot.call->on_answered([this, call = slot.call.get()] { one_answered(*call); });
  if (by_itself) slot.call->transaction = transaction_for(*entry);
  if (slot.call->transaction && entry->name == "EXEC") {
    slot.request_bytes += slot.call->transaction->bytes;
    request_bytes_ += slot.call->transaction->bytes;
  }
  if (slot.close_after) input_ended_ = true;
  if (slot.gate) ++gates_;
  if (slot.flow == Flow::local) return begin_local(slot);
  if (slot.heartbeat) ++heartbeats_ahead_;
  if (slot.heartbeat || input_ended_) interrupt_waiting();
  // Its outcome decides how the next frame is read.
  if (slot.gate && !client_->authenticated) pump();
}

// In the order of arrival: what stands between MULTI and EXEC is known before any of it is begun.
std::shared_ptr<Transaction> RespSession::transaction_for(const Entry& entry) {
  if (entry.name == "MULTI") return transaction_ ? nullptr : transaction_ = std::make_shared<Transaction>();
  if (entry.name == "EXEC" || entry.name == "DISCARD" || entry.name == "RESET") return std::exchange(transaction_, nullptr);
  return entry.name == "WATCH" ? transaction_ : nullptr;
}

std::string RespSession::objection_to_next_part(const Entry& entry, const Args& args) const {
  if (std::string text = objection_to_part(entry, args); !text.empty()) return text;
  if (transaction_->calls.size() >= kTransactionCommandsMax)
    return fmt::format("a transaction has at most {} commands", kTransactionCommandsMax);
  if (transaction_->bytes + bytes_of(args) > kTransactionBytesMax)
    return fmt::format("a transaction has at most {} bytes of arguments", kTransactionBytesMax);
  return {};
}

void RespSession::keep(const Entry& entry, Args args) {
  transaction_->bytes += bytes_of(args);
  transaction_->calls.push_back(std::make_shared<Call>(*core_, client_, entry, std::move(args)));
  Slot& slot = slots_.emplace_back();
  slot.bytes = kQueued;
  slot.request_bytes = kCallBytes;
  request_bytes_ += slot.request_bytes;
  client_->answer_bytes += slot.bytes.size();
}

std::string RespSession::objection(const Entry* entry, const wire::Words& words) const {
  if (!client_->authenticated && (entry == nullptr || !entry->before_auth)) return std::string(kNoAuth);
  if (entry == nullptr) return unknown_command(words.words[0]);
  if (std::string text = objection_now(*entry); !text.empty()) return text;
  return objection_to_form(*entry, words);
}

std::string RespSession::objection_now(const Entry& entry) const {
  if (entry.before_auth) return {};
  if (!client_->authenticated) return std::string(kNoAuth);
  if (entry.command != nullptr && !core_->door.admit(client_->caller, *entry.command).ok()) return not_permitted(entry.name);
  // This dialect has no word for namespaces: everything is in the default one.
  if (client_->caller.namespaces)
    if (Status allowed = command::authorize_namespace(client_->caller, NamespaceName(kDefaultNamespace)); !allowed.ok())
      return error_text(allowed);
  if (client_->subscriptions > 0 && client_->protocol == Protocol::resp2 && !allowed_while_subscribed(entry.name))
    return not_while_subscribed(entry.name);
  return {};
}

Flow RespSession::flow_of(const Entry& entry, const Args& args) const {
  if (entry.flow == Flow::keys) return keys_flow(entry, args);
  if (entry.flow != Flow::local) return entry.flow;
  // A heartbeat asks the registry; and while an AUTH is under way nobody knows who asks.
  return is_heartbeat(args) || gates_ > 0 ? Flow::alone : Flow::local;
}

void RespSession::begin_local(Slot& slot) {
  slot.begun = true;
  ++running_;  // taken back by one_answered()
  const CallRef call = slot.call;
  core_->run_for(std::make_shared<const CallGroup>(1, call), [&] { call->entry().handler(call); });
}

void RespSession::one_answered(const Call& call) {
  --running_;
  if (call.answered())
    client_->answer_bytes += call.delivery_bytes();
  else
    some_postponed_ = true;
  if (!pumping_ && !reading_) schedule_turn();
}

void RespSession::pump() {
  if (pumping_ || closed_) return;
  pumping_ = true;
  for (;;) {
    if (std::exchange(some_postponed_, false)) take_back_postponed();
    if (begun_ >= slots_.size()) break;
    Slot& slot = slots_[begun_];
    if (slot.begun || slot.done()) {
      ++begun_;
      continue;
    }
    if (running_ > 0 || output_full()) break;
    begin_run();
  }
  pumping_ = false;
}

void RespSession::take_back_postponed() {
  for (std::size_t i = slots_.size(); i-- > 0;) {
    Slot& slot = slots_[i];
    if (!slot.call || !slot.call->take_postponed()) continue;
    slot.begun = false;
    begun_ = std::min(begun_, i);
  }
}

// The next slot and, when its flow is a group's, its neighbours.
void RespSession::begin_run() {
  const Flow flow = slots_[begun_].flow;
  CallGroup calls;
  for (std::size_t i = begun_; i < slots_.size() && calls.size() < kGroupMax; ++i) {
    Slot& slot = slots_[i];
    if (slot.begun || slot.done()) continue;
    if (slot.flow != flow || (flow == Flow::alone && !calls.empty())) break;
    slot.begun = true;
    if (slot.heartbeat) --heartbeats_ahead_;
    if (std::string text = objection_now(slot.call->entry()); !text.empty()) {
      ++running_;
      slot.call->fail(text);
      continue;
    }
    calls.push_back(slot.call);
  }
  if (calls.empty()) return;
  running_ += calls.size();
  const auto group = std::make_shared<const CallGroup>(std::move(calls));
  core_->run_for(group, [&] { hand_over(flow, group); });
  interrupt_waiting();
}

void RespSession::hand_over(Flow flow, const CallGroupRef& calls) {
  switch (flow) {
    case Flow::local:
    case Flow::alone: {
      const CallRef& call = calls->front();
      // A keyspace command stands alone when one of its keys is a view.
      return call->entry().flow == Flow::keys ? run_view(call) : call->entry().handler(call);
    }
    case Flow::keys: return run_keys(calls);
    case Flow::pops: return run_pops(calls);
    case Flow::pushes: return run_pushes(calls);
    case Flow::updates: return run_updates(calls);
  }
}

std::optional<Call::Interrupt> RespSession::impatience() const {
  if (peer_finished_ || close_asked_) return Call::Interrupt::closed;
  if (heartbeats_ahead_ > 0 || input_ended_ || draining_) return Call::Interrupt::heartbeat;
  return std::nullopt;
}

// Ends the waits of the run that is under way when somebody no longer wants to wait for it.
void RespSession::interrupt_waiting() {
  const auto why = impatience();
  if (!why || running_ == 0) return;
  // The handler may answer at once, which changes nothing about the slots before a later turn.
  for (std::size_t i = 0; i < slots_.size(); ++i)
    if (slots_[i].begun && !slots_[i].done()) slots_[i].call->interrupt(*why);
}

void RespSession::schedule_turn() {
  if (turn_scheduled_ || closed_) return;
  turn_scheduled_ = true;
  core_->loop.post([self = shared_from_this()] {
    self->turn_scheduled_ = false;
    self->turn();
  });
}

void RespSession::turn() {
  if (closed_) return;
  pump();
  send_ready();
  if (close_asked_ && !connection_.closing()) {
    interrupt_waiting();
    connection_.close_when_sent();
  }
  if (closed_ || connection_.closing()) return;
  if (!input_.empty() && !stalled() && !input_ended_) {
    const std::string waiting = std::exchange(input_, {});
    return read(waiting);
  }
  finish_if_done();
}

void RespSession::send_ready() {
  if (closed_) return;
  std::string bytes;
  std::vector<UniqueFunction<void(bool)>> sent;
  bool close = false;
  slots_peak_ = std::max(slots_peak_, slots_.size());
  while (!slots_.empty() && slots_.front().done() && !close) {
    Slot& slot = slots_.front();
    Call::Delivery delivery = slot.call ? slot.call->take_delivery() : Call::Delivery{std::move(slot.bytes), {}};
    client_->answer_bytes -= delivery.bytes.size();
    if (bytes.empty())
      bytes = std::move(delivery.bytes);
    else
      bytes += delivery.bytes;
    if (delivery.sent) sent.push_back(std::move(delivery.sent));
    request_bytes_ -= slot.request_bytes;
    if (slot.gate) --gates_;
    close = slot.close_after;
    slots_.pop_front();
    if (begun_ > 0) --begun_;
  }
  if (slots_.empty() && slots_peak_ > kSlotsKept) {
    // A long pipeline leaves nothing behind on a connection that then idles.
    slots_ = {};
    slots_peak_ = 0;
  }
  report_held();
  emit(std::move(bytes), std::move(sent));
  if (close) return connection_.close_when_sent();
  // What waited for these answers to leave can begin.
  if (begun_ < slots_.size() && running_ == 0 && !pumping_ && !output_full()) schedule_turn();
}

void RespSession::emit(std::string bytes, std::vector<UniqueFunction<void(bool)>> sent) {
  if (bytes.empty() && sent.empty()) return;
  if (sent.empty()) return connection_.send(std::move(bytes), {});
  connection_.send(std::move(bytes), [sent = std::move(sent)](bool taken) mutable {
    for (UniqueFunction<void(bool)>& each : sent) each(taken);
  });
}

void RespSession::push(std::string bytes) {
  if (closed_ || connection_.closing()) return;
  send_ready();
  // Messages cannot wait for their reader as answers can.
  if (connection_.unsent() > core_->options.limits.output_bytes_max || !connection_.node_has_room())
    return connection_.close_now();
  emit(std::move(bytes), {});
}

void RespSession::output_drained() {
  if (begun_ < slots_.size() || !input_.empty()) schedule_turn();
}

void RespSession::finish_if_done() {
  if (closed_ || connection_.closing()) return;
  const bool done = slots_.empty() ? draining_ || (peer_finished_ && input_.empty()) : peer_finished_ && abandoned();
  if (done) connection_.close_when_sent();
}

// Somebody waited, was told that nobody is there to be answered, and undoes what it can.
bool RespSession::abandoned() const {
  return std::any_of(slots_.begin(), slots_.end(),
                     [](const Slot& slot) { return slot.begun && !slot.done() && slot.call->was_interrupted(); });
}

void RespSession::peer_finished() {
  peer_finished_ = true;
  if (closed_) return;
  interrupt_waiting();
  pump();
  send_ready();
  finish_if_done();
}

void RespSession::read_expired() {
  const Ticks now = core_->loop.clock().elapsed();
  if (now >= authenticate_by_) return connection_.close_when_sent();
  if (frame_due_ && !input_ended_ && now >= *frame_due_) {
    refuse(std::string(kLateFrame), true);
    pump();
    return send_ready();
  }
  if (!slots_.empty() || client_->subscriptions > 0) return arm();
  connection_.close_when_sent();
}

void RespSession::drain() {
  draining_ = true;
  input_ended_ = true;
  input_.clear();
  interrupt_waiting();
  schedule_turn();
}

void RespSession::close() {
  if (closed_) return;
  close_asked_ = true;
  input_ended_ = true;
  input_.clear();
  schedule_turn();
}

void RespSession::closed() {
  closed_ = true;
  client_->set_closed();
  const std::deque<Slot> left = std::exchange(slots_, {});
  for (const Slot& slot : left) {
    if (!slot.call) continue;
    if (slot.call->answered()) {
      if (Call::Delivery delivery = slot.call->take_delivery(); delivery.sent) delivery.sent(false);
      continue;
    }
    if (!slot.begun) {
      slot.call->on_answered({});
      continue;
    }
    // Its answer reaches nobody, and is told so.
    slot.call->on_answered([call = slot.call.get()] {
      if (Call::Delivery delivery = call->take_delivery(); delivery.sent) delivery.sent(false);
    });
    slot.call->interrupt(Call::Interrupt::closed);
  }
  core_->channels->remove(*client_);
  core_->work_state->closed(client_);
  core_->clients->remove(client_);
}

RefusedSession::RefusedSession(net::Connection& connection, std::string text) : connection_(connection) {
  connection_.send(wire::error_reply(text), {});
  connection_.close_when_sent();
}

void RefusedSession::peer_finished() { connection_.close_when_sent(); }
void RefusedSession::read_expired() { connection_.close_now(); }
void RefusedSession::drain() { connection_.close_now(); }

}  // namespace muster::resp
