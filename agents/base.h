// What every part of the runtime and the service works with. Made by server/ (or a test) and outlived by nothing of theirs.
#pragma once

#include <memory>
#include <utility>

#include "agents/agenda.h"
#include "agents/claude/api.h"
#include "agents/settings.h"
#include "agents/tool_calls.h"
#include "base/reply.h"
#include "command/door.h"
#include "store/store.h"

namespace muster::agents {

struct Base {
  command::Door& door;
  store::AgentStore& agents;
  store::RunStore& runs;             // to wake what is parked
  std::shared_ptr<claude::Api> api;  // null: no key is configured. Shared with server/, which stops it
  const Clock& clock;
  Settings settings;
  Ids ids;
  std::shared_ptr<Agenda> agenda;  // shared with answers that are on their way

  Instant now() const { return clock.now(); }
  WorkerId worker() const { return WorkerId("agents-" + settings.node); }
};
using BasePtr = std::shared_ptr<Base>;  // shared by the parts and by answers that are on their way

// A reply that goes on on the agenda, as a member of something that may be gone by then.
template <class T, class Self, class Then>
Reply<T> onto(const BasePtr& base, std::weak_ptr<Self> weak, Then then) {
  return [agenda = base->agenda, weak = std::move(weak), then = std::move(then)](Result<T> result) mutable {
    agenda->post([weak = std::move(weak), then = std::move(then), result = std::move(result)]() mutable {
      if (const auto self = weak.lock()) then(*self, std::move(result));
    });
  };
}

}  // namespace muster::agents
