#include "worker/control.h"

namespace muster::worker {

Control::Control(sdk::resp::ClientOptions options, const Clock& clock, std::uint64_t seed)
    : clock_(clock), client_(std::move(options)), backoff_(kReconnect, seed) {}

sdk::Result<sdk::resp::Value> Control::say(const sdk::resp::Words& words) {
  const std::lock_guard lock(mutex_);
  if (!client_.connected()) {
    if (clock_.elapsed().count() < next_try_)
      return sdk::Error{.code = sdk::Code::unreachable, .detail = "waiting before the next try"};
    if (auto open = client_.connect(); !open.ok()) {
      next_try_ = (clock_.elapsed() + Ticks(backoff_.next())).count();
      return open.error();
    }
    backoff_.reset();
  }
  return client_.call(words);
}

void Control::drop() {
  const std::lock_guard lock(mutex_);
  client_.close();
  retry_now();
}

}  // namespace muster::worker
