#include "fronts/http/session.h"

#include <utility>

#include "fronts/http/core.h"
#include "fronts/http/dispatch.h"
#include "fronts/http/exchange.h"
#include "fronts/http/problem.h"
#include "fronts/http/sign_in.h"

namespace muster::http {
namespace {

constexpr std::size_t kRequestBytes = 1'024;  // of a request that waits, beside its body
constexpr std::string_view kContinue = "HTTP/1.1 100 Continue\r\n\r\n";

using Phase = RequestReader::Phase;

}  // namespace

HttpSession::HttpSession(std::shared_ptr<Core> core, net::Connection& connection)
    : core_(std::move(core)),
      connection_(connection),
      reader_(
          {.header_bytes_max = core_->options.limits.header_bytes_max, .body_bytes_max = core_->options.limits.body_bytes_max}) {}

void HttpSession::begin() { arm(); }

void HttpSession::received(std::string_view bytes) {
  if (successor_) return successor_->received(bytes);
  if (streaming_ || last_request_seen_) return;  // nothing more is expected; the socket is read to see its end
  if (input_.empty() && may_read_on() && !reading_requests_) {
    // The usual case: whole requests arrive and are parsed where they lie.
    reading_requests_ = true;
    while (!bytes.empty() && may_read_on()) {
      const std::size_t used = reader_.feed(bytes);
      bytes.remove_prefix(used);
      if (reader_.phase() != Phase::complete && reader_.phase() != Phase::failed) break;
      begin_request();
    }
    check_early();
    reading_requests_ = false;
    if (successor_) return bytes.empty() ? void() : successor_->received(bytes);
  }
  if (!last_request_seen_) input_.append(bytes);
  read_requests();
}

bool HttpSession::may_read_on() {
  if (closed_ || last_request_seen_ || slots_.size() >= core_->options.limits.pipeline_max) return false;
  report_held();
  const bool alone = slots_.empty() && connection_.unsent() == 0;
  return alone ? connection_.node_has_room() : connection_.has_room();
}

void HttpSession::report_held() { connection_.hold(slots_bytes_ + input_.size() + reader_.buffered()); }

void HttpSession::read_requests() {
  if (reading_requests_) return;
  reading_requests_ = true;
  std::size_t used = 0;
  while (used < input_.size() && may_read_on()) {
    const std::size_t taken = reader_.feed(std::string_view(input_).substr(used));
    used += taken;
    if (reader_.phase() != Phase::complete && reader_.phase() != Phase::failed) break;
    begin_request();
  }
  check_early();
  if (successor_) {
    reading_requests_ = false;
    const std::string rest = std::exchange(input_, {}).substr(used);
    return rest.empty() ? void() : successor_->received(rest);
  }
  if (last_request_seen_)
    input_.clear();
  else
    input_.erase(0, used);
  reading_requests_ = false;
  if (closed_) return;
  if (input_.size() >= kUnparsedBytesMax && !may_read_on())
    connection_.pause_reading();
  else
    connection_.resume_reading();
  arm();
  send_ready();
}

void HttpSession::begin_request() {
  if (reader_.phase() == Phase::failed) {
    const auto& failure = reader_.failure();
    return refuse_stream(failure.status, Status::invalid_argument(failure.detail));
  }
  Request request = reader_.take();
  armed_ = Phase::failed;  // the next request has time of its own
  const std::uint64_t number = first_number_ + slots_.size();
  Slot& added = slots_.emplace_back();
  added.keep_alive = request.keep_alive;
  added.bytes = kRequestBytes + request.target.size() + request.body.size();
  slots_bytes_ += added.bytes;
  if (!request.keep_alive) last_request_seen_ = true;
  dispatch(std::make_unique<Exchange>(core_, weak_from_this(), number, std::move(request)));
}

// The bytes cannot be read as requests any more: one last answer, after those that are due before it.
void HttpSession::refuse_stream(unsigned status, const Status& why) {
  last_request_seen_ = true;
  core_->measure(nullptr, status, Ticks::zero());
  slots_.emplace_back().keep_alive = false;
  slots_.back().outcome = Outcome{.response = problem(status, why, ""), .grants = {}};
}

// Megabytes are not taken in for somebody who is not let in: the token is looked at before the body has come. What is short is
// answered by its route, which may be open to all.
void HttpSession::check_early() {
  if (last_request_seen_ || !core_->authenticator.required()) return;
  const auto head = reader_.take_early_head();
  if (!head) return;
  const auto known = identify(*core_, identification_of(*head), peer_address());
  if (!known.ok()) refuse_stream(http_status(known.code()), known.status());
}

HttpSession::Slot* HttpSession::slot(std::uint64_t number) {
  if (closed_ || number < first_number_ || number >= first_number_ + slots_.size()) return nullptr;
  return &slots_[number - first_number_];
}

void HttpSession::answer(std::uint64_t number, Outcome outcome) {
  Slot* found = slot(number);
  if (found == nullptr) return core_->door.delivery().hand_back(outcome.grants);
  found->give_up = nullptr;
  slots_bytes_ -= found->bytes;
  found->bytes = kRequestBytes + outcome.response.body.size();
  slots_bytes_ += found->bytes;
  const bool long_answer = found->long_answer;
  found->outcome = std::move(outcome);
  if (!reading_requests_) send_ready();
  if (long_answer) begin_next_long();
}

void HttpSession::begin_long(std::uint64_t number, UniqueFunction<void()> begin) {
  Slot* found = slot(number);
  if (found == nullptr) return forget_later(std::move(begin));
  found->long_answer = true;
  found->begin = std::move(begin);
  begin_next_long();
}

// How long an answer is shows when it is there, so a connection makes one long answer at a time.
void HttpSession::begin_next_long() {
  if (closed_) return;
  for (Slot& each : slots_) {
    if (!each.long_answer || each.outcome) continue;
    if (!each.begin) return;  // it is under way
    report_held();
    const bool nothing_to_send = connection_.unsent() == 0 && !slots_.front().outcome;
    if (!nothing_to_send && !connection_.has_room()) return;
    UniqueFunction<void()> begin = std::move(each.begin);
    each.begin = {};
    return begin();
  }
}

void HttpSession::stream(std::uint64_t number, StreamStart start) {
  Slot* found = slot(number);
  if (found == nullptr) return;
  found->stream = std::move(start);
  last_request_seen_ = true;  // what follows a stream on its connection is never answered
  if (!reading_requests_) send_ready();
}

net::Connection* HttpSession::to_itself(std::uint64_t number) {
  return slot(number) != nullptr && slots_.size() == 1 && !peer_finished_ && !draining_ ? &connection_ : nullptr;
}

void HttpSession::become(UpgradeTaken taken) {
  slots_.clear();
  slots_bytes_ = 0;
  last_request_seen_ = true;
  connection_.never_expire_reading();
  connection_.send(std::move(taken.response));
  successor_ = std::move(taken.session);
  connection_.resume_reading();
}

void HttpSession::become_stream(const Response& head, std::shared_ptr<net::Session> session) {
  become({.response = head_of(head, {.date = core_->date(), .keep_alive = false, .content_length = {}}),
          .session = std::move(session)});
}

void HttpSession::wait_with(std::uint64_t number, std::function<void()> give_up, bool) {
  Slot* found = slot(number);
  // The answer may have come before this.
  if (found == nullptr || found->outcome) return;
  if (peer_gone() || draining_) return give_up();
  found->give_up = std::move(give_up);
}

void HttpSession::send_ready() {
  bool sent = false;
  while (!closed_ && !streaming_ && !slots_.empty() && (slots_.front().outcome || slots_.front().stream)) {
    Slot front = std::move(slots_.front());
    slots_.pop_front();
    slots_bytes_ -= front.bytes;
    ++first_number_;
    sent = true;
    send(front);
  }
  if (!sent || closed_) return;
  report_held();
  finish_if_done();
  // A free slot may let requests in that waited in the input.
  if (!input_.empty() && may_read_on())
    read_requests();
  else if (!closed_)
    arm();
}

void HttpSession::send(Slot& front) {
  if (front.stream) return start_streaming(*std::move(front.stream));
  Outcome& outcome = *front.outcome;
  const bool keep_alive = front.keep_alive && !(last_request_seen_ && slots_.empty());
  if (!keep_alive) last_request_seen_ = true;
  const bool gzip = core_->compress(outcome);
  const HeadOptions head{
      .date = core_->date(), .keep_alive = keep_alive, .content_length = outcome.response.body.size(), .gzip = gzip};
  std::string bytes = head_of(outcome.response, head);
  const bool with_body = !outcome.head_only && !outcome.response.body.empty();
  UniqueFunction<void(bool)> done = core_->hand_back_unless_taken(std::move(outcome.grants));
  if (!with_body) return connection_.send(std::move(bytes), std::move(done));
  connection_.send(std::move(bytes));
  connection_.send(std::move(outcome.response.body), std::move(done));
}

void HttpSession::start_streaming(StreamStart start) {
  connection_.send(head_of(start.response, {.date = core_->date(), .keep_alive = false, .content_length = {}}));
  if (start.head_only || peer_finished_) return connection_.close_when_sent();
  streaming_ = true;
  connection_.never_expire_reading();
  core_->events->add(connection_, std::move(start));
}

void HttpSession::finish_if_done() {
  if (slots_.empty() && !streaming_ && (last_request_seen_ || peer_finished_)) connection_.close_when_sent();
}

void HttpSession::peer_finished() {
  if (successor_) return successor_->peer_finished();
  peer_finished_ = true;
  last_request_seen_ = true;
  if (streaming_) return connection_.close_now();
  connection_.never_expire_reading();
  cancel_waiting();
  finish_if_done();
}

// Replies may come back from inside a call, so the slots are not walked meanwhile.
void HttpSession::cancel_waiting() {
  std::vector<std::function<void()>> waits;
  for (Slot& each : slots_)
    if (each.give_up) waits.push_back(std::exchange(each.give_up, nullptr));
  for (const auto& give_up : waits) give_up();
}

void HttpSession::read_expired() {
  if (successor_) return successor_->read_expired();
  if (closed_ || streaming_) return;
  if (reader_.phase() == Phase::idle) {
    last_request_seen_ = true;
    return finish_if_done();
  }
  const bool in_body = reader_.phase() == Phase::body;
  refuse_stream(408,
                Status::invalid_argument(in_body ? "the body did not arrive in time" : "the headers did not arrive in time"));
  send_ready();
}

void HttpSession::output_drained() {
  if (successor_) return successor_->output_drained();
  if (streaming_) return core_->events->drained(connection_);
  begin_next_long();
  if (!input_.empty() && may_read_on()) read_requests();
}

void HttpSession::drain() {
  if (successor_) return successor_->drain();
  if (streaming_) return connection_.close_when_sent();
  draining_ = true;
  last_request_seen_ = true;
  input_.clear();
  connection_.never_expire_reading();
  cancel_waiting();
  finish_if_done();
}

// An exchange that goes while its session is there has been forgotten by its handler. This one goes because the session does.
void HttpSession::forget_later(UniqueFunction<void()> begin) {
  core_->loop.post([begin = std::move(begin)] {});
}

void HttpSession::closed() {
  closed_ = true;
  if (successor_) return successor_->closed();
  core_->events->remove(connection_);
  std::deque<Slot> abandoned = std::move(slots_);
  for (Slot& each : abandoned) {
    if (each.give_up) each.give_up();
    if (each.outcome) core_->door.delivery().hand_back(each.outcome->grants);
    if (each.begin) forget_later(std::move(each.begin));
  }
}

// One deadline at a time: for the part of a request that is under way, or for the pause between requests. While answers are owed
// the client has nothing to send, and is not hurried.
void HttpSession::arm() {
  const Phase phase = reader_.phase();
  // An interim answer must not overtake those that are owed; a client that gets none sends its body after a moment anyway.
  if (slots_.empty() && reader_.take_expectation()) connection_.send(std::string(kContinue));
  // Nor while the session itself does not read.
  if (last_request_seen_ || (phase == Phase::idle && !slots_.empty()) || (!input_.empty() && !may_read_on())) {
    armed_ = Phase::failed;
    return connection_.never_expire_reading();
  }
  if (phase == armed_ && phase != Phase::idle) return;
  armed_ = phase;
  const Limits& limits = core_->options.limits;
  connection_.expire_reading_in(phase == Phase::idle     ? limits.idle
                                : phase == Phase::header ? limits.header_read
                                                         : limits.body_read);
}

}  // namespace muster::http
