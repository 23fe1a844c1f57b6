#include "fronts/resp/call.h"

#include "base/check.h"
#include "fronts/resp/core.h"

namespace muster::resp {

void Call::answer(std::string bytes, UniqueFunction<void(bool)> sent) {
  core_.loop.assert_inside();
  check(!answered_, "a command is answered once");
  answered_ = true;
  interrupt_ = {};  // what it holds on to is no longer needed
  delivery_ = {std::move(bytes), std::move(sent)};
  if (!notify_) return;
  UniqueFunction<void()> notify = std::move(notify_);
  notify();
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
  handler(why);
}

}  // namespace muster::resp
