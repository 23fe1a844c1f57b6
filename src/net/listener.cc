#include "net/listener.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <cerrno>
#include <condition_variable>
#include <cstring>
#include <mutex>
#include <unordered_map>
#include <utility>

#include "base/check.h"
#include "base/log.h"
#include "net/address.h"
#include "net/io_loop_state.h"
#include "net/socket_file.h"
#include "net/stream_connection.h"

namespace muster::net {
namespace {

constexpr int kBacklog = 4'096;
constexpr std::size_t kAcceptsPerRound = 64;
constexpr Duration kDeadlineTick{100};     // how exact the time-outs of connections are
constexpr Duration kAcceptBackOff{100};    // out of descriptors or memory: others must end before another can begin
constexpr const char* kUnixPeer = "unix";  // the address of every peer of a Unix socket

// The connection that would have been next is gone, and says nothing about those behind it.
bool is_of_one_peer(int error) {
  switch (error) {
    case ECONNABORTED:
    case EINTR:
    case EPROTO:
    case ENETDOWN:
    case ENOPROTOOPT:
    case EHOSTDOWN:
    case ENONET:
    case EHOSTUNREACH:
    case EOPNOTSUPP:
    case ENETUNREACH: return true;
    default: return false;
  }
}

}  // namespace

// Lives on the loop's thread, but for what `mutex` guards and for what is fixed before the loop sees it.
struct Listener::State : Watched, std::enable_shared_from_this<Listener::State> {
  State(IoLoop& with, ListenerOptions opts, Gauge& gauge, SessionFactory make)
      : loop(with), options(std::move(opts)), open_connections(gauge), factory(std::move(make)), tick(with), pause(with) {}

  Status listen_tcp() {
    auto opened = net::listen_tcp(options.address, options.port, kBacklog);
    if (!opened.ok()) return opened.status();
    port = opened->bound.port();
    endpoint = opened->bound.endpoint();
    loopback = opened->bound.is_loopback();
    if (!loopback && !options.loopback_only.empty())
      return Status::invalid_argument(fmt::format("cannot listen on {}: {}", endpoint, options.loopback_only));
    acceptor = std::move(opened->descriptor);
    return {};
  }

  Status listen_unix() {
    auto opened = SocketFile::open(options.unix_path, kBacklog);
    if (!opened.ok()) return opened.status();
    socket_file = *std::move(opened);
    acceptor = Fd(socket_file.release());
    if (::fcntl(acceptor.get(), F_SETFL, O_NONBLOCK) != 0)
      return Status::unavailable(fmt::format("cannot listen on unix:{}: {}", options.unix_path, std::strerror(errno)));
    endpoint = fmt::format("unix:{}", options.unix_path);
    loopback = true;
    return {};
  }

  bool is_unix() const { return !options.unix_path.empty(); }

  void begin() {
    if (stopping) return;
    watch_deadlines();
    accept_or_pause();
  }

  // Watched from the first time on that there is room for it.
  void accept_or_pause() {
    if (watched || (watched = loop.state().watch(acceptor.get(), *this))) return go_on();
    pause_accepting(errno);
  }

  void ready(std::uint32_t) override {
    if (!pausing) go_on();
  }

  void go_on() override {
    for (std::size_t accepted = 0; accepted < kAcceptsPerRound && !stopping; ++accepted) {
      SocketAddress peer;
      Fd socket(::accept4(acceptor.get(), peer.raw(), &peer.length, SOCK_NONBLOCK | SOCK_CLOEXEC));
      if (socket.valid()) {
        admit_guarded(std::move(socket), peer);
        continue;
      }
      if (errno == EAGAIN || errno == EWOULDBLOCK) return;
      if (is_of_one_peer(errno)) continue;
      return pause_accepting(errno);
    }
    if (!stopping) loop.state().go_on_later(*this);
  }

  // EMFILE, ENFILE, ENOBUFS, ENOMEM: the connection stays in the backlog, and trying again at once would only burn the processor.
  void pause_accepting(int error) {
    log::warn("accepting connections pauses", {{"address", endpoint}, {"code", std::strerror(error)}});
    pausing = true;
    pause.start(kAcceptBackOff, [this] {
      pausing = false;
      accept_or_pause();
    });
  }

  void watch_deadlines() {
    tick.start(kDeadlineTick, [this] {
      const Ticks now = loop.clock().elapsed();
      // A connection removes itself by a posted call, never while it is asked, so the map stands still here.
      for (const auto& [key, connection] : connections) connection->enforce_deadlines(now);
      if (stopping && now >= stop_deadline)
        for (const auto& [key, connection] : connections) connection->close_now();
      watch_deadlines();
    });
  }

  // A connection that cannot be begun ends; the others go on.
  void admit_guarded(Fd socket, const SocketAddress& peer) {
    try {
      admit(std::move(socket), peer);
    } catch (...) {
      const Incident incident(loop.state().incidents, "connection begins");
    }
  }

  void admit(Fd socket, const SocketAddress& peer) {
    const int yes = 1;
    if (!is_unix() && ::setsockopt(socket.get(), IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes) != 0)
      return;  // gone before it began
    if (connections.size() >= options.connections_max) {
      if (!tls) ::send(socket.get(), options.refusal.data(), options.refusal.size(), MSG_NOSIGNAL);
      return;
    }
    enter(std::make_shared<StreamConnection>(loop, std::move(socket), stream_options(is_unix() ? kUnixPeer : peer.host())));
  }

  StreamOptions stream_options(std::string peer) const {
    return {.peer_address = std::move(peer),
            .budget = options.budget,
            .write_timeout = options.write_timeout,
            .handshake_timeout = options.handshake_timeout,
            .tls = tls};
  }

  void enter(const std::shared_ptr<StreamConnection>& connection) {
    std::shared_ptr<Session> session = factory(*connection);
    connections.emplace(connection.get(), connection);
    open_connections.add(1);
    connection->start(std::move(session), [self = shared_from_this(), key = connection.get()] { self->forget(key); });
  }

  void forget(StreamConnection* connection) {
    connections.erase(connection);
    open_connections.add(-1);
    if (stopping && connections.empty()) finish_stop();
  }

  void begin_stop(Duration grace) {
    if (std::exchange(stopping, true)) return;
    close_acceptor();
    pause.cancel();
    stop_deadline = loop.clock().elapsed() + grace;
    for (const auto& [key, connection] : connections) {
      if (grace > Duration::zero())
        connection->drain();
      else
        connection->close_now();
    }
    if (connections.empty()) finish_stop();
  }

  void close_acceptor() {
    if (acceptor.valid()) loop.state().unwatch(acceptor.get(), *this);
    acceptor.reset();
    socket_file.remove();
  }

  void finish_stop() {
    tick.cancel();
    tell_stopped();
  }

  void tell_stopped() {
    const std::lock_guard lock(mutex);
    stopped = true;
    stopped_changed.notify_all();
  }

  IoLoop& loop;
  const ListenerOptions options;
  Gauge& open_connections;
  SessionFactory factory;
  Fd acceptor;
  bool watched = false;
  bool pausing = false;
  SocketFile socket_file;
  Timer tick;
  Timer pause;
  std::string endpoint;
  std::uint16_t port = 0;
  bool loopback = false;
  TlsContext tls;
  std::unordered_map<StreamConnection*, std::shared_ptr<StreamConnection>> connections;
  bool stopping = false;
  Ticks stop_deadline{};

  std::mutex mutex;  // leaf; guards `stopped`
  std::condition_variable stopped_changed;
  bool stopped = false;
};

Listener::Listener(std::shared_ptr<State> state) : state_(std::move(state)) {}

Listener::~Listener() { stop(Duration::zero()); }

Result<std::unique_ptr<Listener>> Listener::open(IoLoop& loop, ListenerOptions options, Gauge& open_connections,
                                                 SessionFactory factory) {
  TlsContext tls;
  if (options.tls.enabled() && options.unix_path.empty()) {
    auto made = make_tls_context(options.tls, options.offers_http2);
    if (!made.ok()) return made.status();
    tls = *std::move(made);
  }
  if (!options.budget) options.budget = std::make_shared<ByteBudget>(loop, BudgetBounds());
  const auto state = std::make_shared<State>(loop, std::move(options), open_connections, std::move(factory));
  state->tls = std::move(tls);
  const Status opened = state->is_unix() ? state->listen_unix() : state->listen_tcp();
  if (!opened.ok()) return opened;
  loop.post([state] { state->begin(); });
  return std::unique_ptr<Listener>(new Listener(state));
}

std::uint16_t Listener::port() const { return state_->port; }
std::string Listener::address() const { return state_->endpoint; }
bool Listener::is_loopback() const { return state_->loopback; }

Status Listener::reload_tls() {
  if (!state_->options.tls.enabled() || state_->is_unix()) return {};
  auto made = make_tls_context(state_->options.tls, state_->options.offers_http2);
  if (!made.ok()) return made.status();
  state_->loop.post([state = state_, tls = *std::move(made)]() mutable { state->tls = std::move(tls); });
  return {};
}

void Listener::stop(Duration grace) {
  check(!state_->loop.inside(), "a listener is not stopped from inside the loop");
  {
    const std::lock_guard lock(state_->mutex);
    if (state_->stopped) return;
  }
  // A loop that is not running has no thread that could answer, and no connection that could mind.
  if (!state_->loop.running()) {
    state_->close_acceptor();
    state_->stopping = true;
    state_->tell_stopped();
    return;
  }
  state_->loop.post([state = state_, grace] { state->begin_stop(grace); });
  std::unique_lock lock(state_->mutex);
  state_->stopped_changed.wait(lock, [this] { return state_->stopped; });
}

}  // namespace muster::net
