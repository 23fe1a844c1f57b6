#include "net/stream_connection.h"

#include <sys/socket.h>
#include <sys/uio.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>

namespace muster::net {
namespace {

constexpr std::size_t kGatherMax = 64;            // pieces per write
constexpr std::size_t kPieceBytes = 16 * 1024;    // small pieces are joined up to this size
constexpr std::size_t kEncryptBytes = 64 * 1024;  // about so much is encrypted before the system has taken it
static_assert(kTlsUnsentMax > 3 * kEncryptBytes, "what sessions send is never taken for the protocol's own");
constexpr std::size_t kPiecesKept = 64;  // places kept by an idle connection
constexpr Duration kLinger{2'000};       // for the peer to read our last words before the socket goes
constexpr Ticks kNever = Ticks::max();
constexpr std::uint32_t kEnd = EPOLLRDHUP | EPOLLHUP | EPOLLERR;

}  // namespace

StreamConnection::StreamConnection(IoLoop& loop, Fd socket, StreamOptions options)
    : loop_(loop), options_(std::move(options)), socket_(std::move(socket)), share_(options_.budget, [this] { tell_room(); }) {
  if (options_.tls) tls_.emplace(options_.tls);
}

// One that was begun has been buried. One that was not may have asked for a place at the end of the round.
StreamConnection::~StreamConnection() {
  if (!closed_) loop_.state().unwatch(socket_.get(), *this);
}

void StreamConnection::start(std::shared_ptr<Session> session, UniqueFunction<void()> gone) {
  session_ = std::move(session);
  gone_ = std::move(gone);
  if (closed_) return;
  if (tls_)
    end_deadline_ = in(options_.handshake_timeout);
  else
    session_ready_ = true;
  if (!loop_.state().watch(socket_.get(), *this)) close_now();
}

// A session that throws is in an unknown state: its connection ends, and nobody else's.
template <class Call>
void StreamConnection::guarded(std::string_view what, Call call) {
  try {
    call();
  } catch (...) {
    const Incident incident(loop_.state().incidents, what);
    close_now();
  }
}

void StreamConnection::hold(std::size_t bytes) {
  if (closed_) return;
  held_ = bytes;
  share_.set(held_ + unsent_);
}

void StreamConnection::tell_room() {
  if (!closing()) guarded("output drained", [&] { session_->output_drained(); });
}

void StreamConnection::drain() {
  if (closed_) return;
  if (session_ready_)
    guarded("drain", [&] { session_->drain(); });
  else
    close_now();
}

void StreamConnection::enforce_deadlines(Ticks now) {
  if (closed_) return;
  if (now >= write_deadline_ || now >= end_deadline_) return close_now();
  if (now < read_deadline_) return;
  read_deadline_ = kNever;
  guarded("read time-out", [&] { session_->read_expired(); });
}

// --- in ---

void StreamConnection::ready(std::uint32_t events) {
  if ((events & kEnd) != 0) end_seen_ = true;
  if ((events & (EPOLLIN | kEnd)) != 0) readable_ = true;
  if (blocked_ && (events & (EPOLLOUT | EPOLLHUP | EPOLLERR)) != 0) {
    blocked_ = false;
    loop_.state().at_round_end(*this);
  }
  // A peer that has finished and then is gone altogether waits for no answer.
  if (peer_finished_ && (events & EPOLLERR) != 0) return close_now();
  read();
}

void StreamConnection::resume_reading() {
  if (!std::exchange(paused_, false) || closed_) return;
  if (readable_) loop_.state().go_on_later(*this);
}

void StreamConnection::read() {
  if (!readable_ || paused_ || closed_ || peer_finished_) return;
  std::array<char, kReadBytesMax>& buffer = loop_.state().incoming;
  const ssize_t got = ::recv(socket_.get(), buffer.data(), buffer.size(), 0);
  if (got < 0) {
    if (errno == EINTR) return loop_.state().go_on_later(*this);
    if (errno != EAGAIN && errno != EWOULDBLOCK) return close_now();
    readable_ = false;
    return;
  }
  if (got == 0) {
    readable_ = false;
    // Without its goodbye the end of a TLS stream may be anybody's doing.
    return tls_ ? close_now() : peer_ended();
  }
  // What falls short has emptied the socket, but for an end that was told together with it.
  readable_ = end_seen_ || static_cast<std::size_t>(got) == buffer.size();
  const std::string_view bytes(buffer.data(), static_cast<std::size_t>(got));
  tls_ ? received_tls(bytes) : received(bytes);
  if (readable_ && !paused_ && !closed_ && !peer_finished_) loop_.state().go_on_later(*this);
}

void StreamConnection::received(std::string_view bytes) {
  if (!closing()) guarded("received", [&] { session_->received(bytes); });
}

void StreamConnection::received_tls(std::string_view bytes) {
  tls_->feed(bytes);
  if (!session_ready_ && !shake_hands()) return;
  std::size_t got = 0;
  const TlsStream::Step step = tls_->read(loop_.state().plain, got);
  // Reading may have made something to say, of the protocol's own. Who asks for ever more of that and takes none of it has no
  // business here.
  if (tls_->output().size() > kTlsUnsentMax) return close_now();
  if (!tls_->output().empty()) loop_.state().at_round_end(*this);
  if (got > 0) received({loop_.state().plain.data(), got});
  if (closed_ || step == TlsStream::Step::more) return;
  step == TlsStream::Step::ended ? peer_ended() : close_now();
}

// True when it is done.
bool StreamConnection::shake_hands() {
  const TlsStream::Step step = tls_->handshake();
  if (step == TlsStream::Step::done) {
    session_ready_ = true;
    end_deadline_ = kNever;
    certificate_ = net::peer_certificate(tls_->connection());
  }
  loop_.state().at_round_end(*this);
  if (step == TlsStream::Step::done || step == TlsStream::Step::more) return step == TlsStream::Step::done;
  // The peer is told why, as far as one attempt goes.
  if (give_to_system(tls_->output())) close_now();
  return false;
}

// A peer that only finished sending is still owed its answers.
void StreamConnection::peer_ended() {
  if (said_goodbye_) return close_now();
  peer_finished_ = true;
  if (!finishing_) guarded("end of peer", [&] { session_->peer_finished(); });
}

// --- out ---

void StreamConnection::send(std::string bytes, UniqueFunction<void(bool)> done) {
  loop_.assert_inside();
  if (closing()) {
    if (done) loop_.post([call = std::move(done)]() mutable { call(false); });
    return;
  }
  unsent_ += bytes.size();
  share_.set(held_ + unsent_);
  loop_.state().at_round_end(*this);
  if (first_ < outgoing_.size() && !outgoing_.back().done && outgoing_.back().bytes.size() + bytes.size() <= kPieceBytes) {
    outgoing_.back().bytes += bytes;
    outgoing_.back().done = std::move(done);
    return;
  }
  outgoing_.push_back({std::move(bytes), std::move(done)});
}

void StreamConnection::write() {
  if (closed_ || blocked_) return;
  if (!(tls_ ? write_tls() : write_plain())) return;
  if (tls_ && !session_ready_ && tls_->output().empty()) return;  // what the session has said waits for the handshake
  if (first_ < outgoing_.size() || (tls_ && !tls_->output().empty())) {
    // Any progress renews the time it has.
    write_deadline_ = in(options_.write_timeout);
    if (!blocked_) loop_.state().at_round_end(*this);
    return;
  }
  write_deadline_ = kNever;
  if (finishing_)
    say_goodbye();
  else
    guarded("output drained", [&] { session_->output_drained(); });
}

// What was sent, or nothing when the connection ended over it.
std::optional<std::size_t> StreamConnection::taken_or_closed(ssize_t taken, std::size_t offered) {
  if (taken < 0 && errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR) {
    close_now();
    return std::nullopt;
  }
  const std::size_t bytes = taken < 0 ? 0 : static_cast<std::size_t>(taken);
  blocked_ = bytes < offered && !(taken < 0 && errno == EINTR);
  return bytes;
}

std::optional<std::size_t> StreamConnection::give_to_system(std::string_view bytes) {
  if (bytes.empty()) return 0;
  return taken_or_closed(::send(socket_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL), bytes.size());
}

std::optional<std::size_t> StreamConnection::offer_plain() {
  const std::string_view front = std::string_view(outgoing_[first_].bytes).substr(sent_of_first_);
  if (outgoing_.size() - first_ == 1) return give_to_system(front);
  std::array<iovec, kGatherMax> pieces{};
  pieces[0] = {const_cast<char*>(front.data()), front.size()};
  std::size_t count = 1;
  std::size_t offered = front.size();
  for (std::size_t i = first_ + 1; i < outgoing_.size() && count < pieces.size(); ++i, ++count) {
    std::string& bytes = outgoing_[i].bytes;
    pieces[count] = {bytes.data(), bytes.size()};
    offered += bytes.size();
  }
  msghdr message{};
  message.msg_iov = pieces.data();
  message.msg_iovlen = count;
  return taken_or_closed(::sendmsg(socket_.get(), &message, MSG_NOSIGNAL), offered);
}

// False: the connection ended over it, here and below.
bool StreamConnection::write_plain() {
  if (first_ == outgoing_.size()) return true;
  const auto taken = offer_plain();
  if (taken) taken_by_system(*taken);
  return taken && !closed_;
}

bool StreamConnection::write_tls() {
  if (session_ready_ && encrypted_ == 0) {
    std::size_t skip = sent_of_first_;
    for (std::size_t i = first_; i < outgoing_.size() && encrypted_ < kEncryptBytes; ++i, skip = 0) {
      const std::string_view plain = std::string_view(outgoing_[i].bytes).substr(skip, kEncryptBytes);
      if (!tls_->write(plain)) {
        close_now();
        return false;
      }
      encrypted_ += plain.size();
      if (skip + plain.size() < outgoing_[i].bytes.size()) break;
    }
  }
  const auto taken = give_to_system(tls_->output());
  if (!taken) return false;
  tls_->sent(*taken);
  if (tls_->output().empty()) taken_by_system(std::exchange(encrypted_, 0));
  return !closed_;
}

void StreamConnection::taken_by_system(std::size_t bytes) {
  unsent_ -= bytes;
  share_.set(held_ + unsent_);
  bytes += sent_of_first_;
  while (first_ < outgoing_.size() && bytes >= outgoing_[first_].bytes.size()) {
    Outgoing sent = std::move(outgoing_[first_++]);
    bytes -= sent.bytes.size();
    sent_of_first_ = 0;
    if (sent.done) guarded("bytes are sent", [&] { sent.done(true); });
    if (closed_) return;  // the rest is told when it is buried
  }
  sent_of_first_ = bytes;
  if (first_ == outgoing_.size()) {
    outgoing_.clear();
    if (outgoing_.capacity() > kPiecesKept) outgoing_.shrink_to_fit();
    first_ = 0;
  } else if (first_ >= kPiecesKept && first_ * 2 >= outgoing_.size()) {
    outgoing_.erase(outgoing_.begin(), outgoing_.begin() + static_cast<std::ptrdiff_t>(first_));
    first_ = 0;
  }
}

// --- the end ---

void StreamConnection::close_when_sent() {
  if (closing()) return;
  finishing_ = true;
  read_deadline_ = kNever;
  resume_reading();  // what still arrives is dropped
  loop_.state().at_round_end(*this);
}

// Closing a socket with unread input resets it, and the peer may lose our last answer: end our side first, then wait for the
// peer's end.
void StreamConnection::say_goodbye() {
  if (tls_ && !std::exchange(goodbye_made_, true)) {
    tls_->say_goodbye();
    return write();  // it leaves like everything else, and our side ends behind it
  }
  if (std::exchange(said_goodbye_, true)) return;
  end_deadline_ = in(kLinger);
  if (::shutdown(socket_.get(), SHUT_WR) != 0 || peer_finished_) close_now();
}

void StreamConnection::close_now() {
  if (closed_) return;
  closed_ = true;
  loop_.state().unwatch(socket_.get(), *this);
  socket_.reset();
  // Posted, because a session may close from inside one of its own calls.
  loop_.post([self = shared_from_this()] { self->bury(); });
}

void StreamConnection::bury() {
  for (std::size_t i = first_; i < outgoing_.size(); ++i)
    if (outgoing_[i].done) guarded("undelivered bytes", [&] { outgoing_[i].done(false); });
  outgoing_.clear();
  unsent_ = held_ = 0;
  share_.end();
  if (!session_) return;  // it could not be begun
  guarded("closed", [&] { session_->closed(); });
  session_.reset();
  UniqueFunction<void()> gone = std::move(gone_);
  gone();
}

}  // namespace muster::net
