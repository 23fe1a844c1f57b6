#include "fronts/grpc/live_call.h"

#include <fmt/format.h>

#include "base/log.h"

namespace muster::rpc {

// Methods hold the call through this; the last one to let go says so.
struct LiveCall::LetGo {
  void operator()(LiveCall* call) const {
    try {
      if (!call->ended()) call->refuse(unanswered(call->gate_->incidents, call->entry_.method.name));
    } catch (...) {
      const Incident incident(call->gate_->incidents, call->entry_.method.name);
    }
    call->release();
  }
};

LiveCall::LiveCall(std::shared_ptr<CallGate> gate, Entry& entry)
    : Call(gate->core), gate_(std::move(gate)), entry_(entry), begun_(core.clock().elapsed()) {
  method = entry.method.run;
}

LiveCall::~LiveCall() {
  if (open_) gate_->close_call();
}

std::string_view LiveCall::metadata(std::string_view name) const {
  for (const auto& [key, value] : received)
    if (key == name) return value;
  return {};
}

// A client may go away while a method still writes: what it writes then is read by nobody.
void LiveCall::add_metadata(std::string name, std::string value) {
  const std::lock_guard lock(mutex_);
  if (!ended_) trailers_.emplace_back(std::move(name), std::move(value));
}

void LiveCall::name_itself() { correlation = gate_->correlation_of(received); }

Status LiveCall::admit(command::Caller known) {
  caller = std::move(known);
  caller.correlation = correlation;
  if (Status room = gate_->open_call(); !room.ok()) return room;
  open_ = true;
  const command::Spec* command = entry_.method.command;
  return command == nullptr ? Status() : core.door.admit(caller, *command);
}

void LiveCall::run() {
  owners_.fetch_add(1, std::memory_order_relaxed);
  CallRef handle(this, LetGo());
  {
    const std::lock_guard lock(mutex_);
    handle_ = handle;
    if (ended_) return;
  }
  // The call may be gone when its method has thrown: whoever held it last has answered it and let go.
  const std::shared_ptr<CallGate> gate = gate_;
  const Entry& entry = entry_;
  try {
    entry.method.run(std::move(handle));
  } catch (...) {
    const Incident incident(gate->incidents, entry.method.name);
    handle.reset();
  }
}

bool LiveCall::ended() const { return ended_.load(std::memory_order_acquire); }

bool LiveCall::cancelled() const { return cancelled_.load(std::memory_order_acquire); }

// Something for the one caller that ends the call.
std::optional<LiveCall::Ending> LiveCall::end(bool by_cancel) {
  Ending ending;
  bool was_waiting = false;
  {
    const std::lock_guard lock(mutex_);
    if (ended_) return std::nullopt;
    cancelled_ = by_cancel;
    ended_ = true;
    ending = {std::move(on_cancel_), std::move(trailers_)};
    was_waiting = waiting_;
  }
  if (was_waiting) gate_->remove_waiting(*this);
  return ending;
}

void LiveCall::settle(WireCode code) { entry_.measure(code, core.clock().elapsed() - begun_); }

void LiveCall::answer(std::string response) {
  auto ending = end(false);
  if (!ending) return undelivered();
  settle(WireCode::ok);
  deliver(std::move(response), std::move(ending->trailers));
}

void LiveCall::refuse(WireError error) {
  auto ending = end(false);
  if (!ending) return;
  settle(error.code);
  if (error.code == WireCode::internal || error.code == WireCode::unknown)
    log::error("a call failed", {{"type", fmt::format("{}/{}", entry_.method.service, entry_.method.name)},
                                 {"detail", error.message},
                                 {"corr", correlation}});
  deliver(std::move(error), std::move(ending->trailers));
}

void LiveCall::give_up(const Status& why) { give_up(wire_error(entry_.method.dialect, why)); }

void LiveCall::give_up(WireError why) {
  auto ending = end(true);
  if (!ending) return;
  run_guarded(ending->on_cancel);
  settle(why.code);
  deliver(std::move(why), std::move(ending->trailers));
}

void LiveCall::on_cancel(UniqueFunction<void()> then) {
  bool at_once = false;
  std::weak_ptr<Call> handle;
  {
    const std::lock_guard lock(mutex_);
    if (ended_) {
      at_once = cancelled_;
    } else {
      on_cancel_ = std::move(then);
      if (waiting_) return;
      waiting_ = true;
      handle = handle_;
    }
  }
  if (handle.expired()) {
    if (at_once) run_guarded(then);
    return;
  }
  if (!gate_->add_waiting(*this, handle)) return give_up(Status::unavailable("the server is stopping"));
  // It may have ended before it was on the list; nobody would take it off.
  if (ended()) gate_->remove_waiting(*this);
}

void LiveCall::on_undelivered(UniqueFunction<void()> then) {
  const std::lock_guard lock(mutex_);
  on_undelivered_ = std::move(then);
}

void LiveCall::undelivered() {
  UniqueFunction<void()> handler;
  {
    const std::lock_guard lock(mutex_);
    handler = std::move(on_undelivered_);
  }
  run_guarded(handler);
}

bool LiveCall::minds_delivery() const {
  const std::lock_guard lock(mutex_);
  return static_cast<bool>(on_undelivered_);
}

void LiveCall::run_guarded(UniqueFunction<void()>& handler) const {
  if (!handler) return;
  try {
    handler();
  } catch (...) {
    const Incident incident(gate_->incidents, entry_.method.name);
  }
}

void LiveCall::let_go_of_transport() { release(); }

void LiveCall::release() {
  if (owners_.fetch_sub(1, std::memory_order_acq_rel) == 1) delete this;
}

}  // namespace muster::rpc
