#include "fronts/http2/first_bytes.h"

#include <algorithm>
#include <utility>

namespace muster::http2 {
namespace {

constexpr std::string_view kPreface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

}  // namespace

FirstBytes::FirstBytes(std::shared_ptr<const Choice> choice, net::Connection& connection)
    : choice_(std::move(choice)), connection_(connection) {
  connection_.expire_reading_in(choice_->patience);
}

void FirstBytes::received(std::string_view bytes) {
  if (chosen_) return chosen_->received(bytes);
  const std::size_t compared = std::min(bytes.size(), kPreface.size() - seen_.size());
  const bool alike = bytes.substr(0, compared) == kPreface.substr(seen_.size(), compared);
  if (alike && seen_.size() + compared < kPreface.size()) {
    seen_.append(bytes);
    return;
  }
  if (!become(alike ? choice_->http2 : choice_->http1)) return;
  if (!seen_.empty()) chosen_->received(std::exchange(seen_, {}));
  if (!connection_.closing()) chosen_->received(bytes);
}

bool FirstBytes::become(const MakeSession& make) {
  connection_.never_expire_reading();
  if (make) chosen_ = make(connection_);
  if (!chosen_) connection_.close_now();
  return chosen_ != nullptr;
}

void FirstBytes::peer_finished() {
  if (!chosen_ && (seen_.empty() || !become(choice_->http1))) return connection_.close_now();
  if (!seen_.empty()) chosen_->received(std::exchange(seen_, {}));
  chosen_->peer_finished();
}

void FirstBytes::read_expired() {
  if (chosen_) return chosen_->read_expired();
  if (seen_.empty() || !become(choice_->http1)) return connection_.close_when_sent();
  chosen_->received(std::exchange(seen_, {}));
  chosen_->read_expired();
}

void FirstBytes::output_drained() {
  if (chosen_) chosen_->output_drained();
}

void FirstBytes::drain() { chosen_ ? chosen_->drain() : connection_.close_when_sent(); }

void FirstBytes::closed() {
  if (chosen_) chosen_->closed();
}

}  // namespace muster::http2
