#include "fronts/ws/core.h"

#include "fronts/ws/change_watch.h"
#include "fronts/ws/extensions.h"
#include "fronts/ws/frame_log.h"
#include "fronts/ws/package_watch.h"
#include "fronts/ws/sessions.h"

namespace muster::ws {

Core::Core(net::IoLoop& on, command::Door& through, Metrics& counted, WsOptions options_in, Schemas compiled)
    : loop(on),
      door(through),
      incidents(counted, "wire"),
      options(std::move(options_in)),
      meter(counted),
      schemas(std::move(compiled)),
      brake(options.brake ? options.brake : std::make_shared<auth::Brake>()),
      authenticator(options.auth, brake),
      deadlines(on),
      strangers(deadlines, kStrangerComplaintsMax, [](std::uint64_t count) { tell_left_out({}, count); }),
      feed(through.clock(), deadlines),
      sessions(std::make_unique<Sessions>()),
      changes(std::make_shared<ChangeWatch>(*this)),
      package_watch(std::make_shared<PackageWatch>(*this)),
      ids_(through.clock(), random_seed()),
      seed_(random_seed()) {}

Core::~Core() = default;

void Core::sessions_changed() {
  if (sessions->empty()) {
    changes->stop();
    package_watch->stop();
  } else {
    changes->start();
    package_watch->start();
  }
}

void Core::post(UniqueFunction<void()> work) {
  loop.post([self = weak_from_this(), work = std::move(work)]() mutable {
    if (const auto alive = self.lock()) work();
  });
}

}  // namespace muster::ws
