#include "fronts/resp/call.h"

#include "base/log.h"
#include "fronts/resp/commands.h"
#include "fronts/resp/core.h"

namespace muster::resp {

void Call::answer(std::string bytes, UniqueFunction<void(bool)> sent) {
  core_.loop.assert_inside();
  if (answered_) {
    // What its handler threw was its answer; another part of the handler goes on, and what it brings reaches nobody.
    log::warn("a command was answered twice", {{"type", std::string(entry_.name)}});
    if (sent) sent(false);
    return;
  }
  answered_ = true;
  interrupt_ = {};  // what it holds on to is no longer needed
  delivery_ = {std::move(bytes), std::move(sent)};
  if (!notify_) return;
  UniqueFunction<void()> notify = std::move(notify_);
  notify();
}

void Call::postpone() {
  check(!answered_, "a command that is answered is not postponed");
  interrupt_ = {};
  postponed_ = true;
  if (notify_) notify_();
}

void Call::on_interrupt(UniqueFunction<void(Interrupt)> handler) {
  if (answered_ || interrupted_) return;
  interrupt_ = std::move(handler);
  if (!missed_) return;
  core_.post([self = shared_from_this(), why = *missed_] { self->interrupt(why); });
}

void Call::interrupt(Interrupt why) {
  if (answered_ || interrupted_) return;
  if (!interrupt_) {
    // The end of a connection outweighs an impatient client.
    if (!missed_ || why == Interrupt::closed) missed_ = why;
    return;
  }
  interrupted_ = true;
  UniqueFunction<void(Interrupt)> handler = std::move(interrupt_);
  core_.run_for(std::make_shared<const CallGroup>(1, shared_from_this()), [&] { handler(why); });
}

}  // namespace muster::resp
