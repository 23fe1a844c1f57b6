#include "net/listener.h"

#include <fmt/format.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <unordered_map>

#include "base/log.h"
#include "net/io_loop_state.h"
#include "net/socket_file.h"
#include "net/stream_connection.h"

namespace muster::net {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using UnixAcceptor = asio::local::stream_protocol::acceptor;
using UnixSocket = asio::local::stream_protocol::socket;
using boost::system::error_code;

constexpr int kBacklog = 4'096;
constexpr Duration kDeadlineTick{100};     // how exact the time-outs of connections are
constexpr Duration kAcceptBackOff{100};    // out of descriptors or memory: others must end before another can begin
constexpr const char* kUnixPeer = "unix";  // the address of every peer of a Unix socket

std::string endpoint_text(const tcp::endpoint& endpoint) {
  const std::string address = endpoint.address().to_string();
  return endpoint.address().is_v6() ? fmt::format("[{}]:{}", address, endpoint.port())
                                    : fmt::format("{}:{}", address, endpoint.port());
}

Result<tcp::endpoint> resolve(asio::io_context& io, const ListenerOptions& options) {
  error_code error;
  const asio::ip::address address = asio::ip::make_address(options.address, error);
  if (!error) return tcp::endpoint(address, options.port);
  tcp::resolver resolver(io);
  const auto found = resolver.resolve(options.address, std::to_string(options.port), tcp::resolver::passive, error);
  if (error || found.empty())
    return Status::invalid_argument(fmt::format(
        "listen address \"{}\" is neither an IP address nor a name that resolves to one: {}", options.address, error.message()));
  return found.begin()->endpoint();
}

Status bind_failure(const ListenerOptions& options, const error_code& error) {
  const std::string where = fmt::format("cannot listen on {} port {}", options.address, options.port);
  if (error == asio::error::address_in_use)
    return Status::unavailable(fmt::format(
        "{}: the port is in use; stop the process that holds it, or choose another port (0 picks a free one)", where));
  if (error == asio::error::access_denied)
    return Status::unavailable(fmt::format("{}: permission denied; ports below 1024 need privileges", where));
  if (error == error_code(EADDRNOTAVAIL, boost::system::system_category()))
    return Status::unavailable(fmt::format("{}: this machine has no such address", where));
  return Status::unavailable(fmt::format("{}: {}", where, error.message()));
}

Status listen_on(tcp::acceptor& acceptor, const tcp::endpoint& endpoint, const ListenerOptions& options) {
  error_code error;
  acceptor.open(endpoint.protocol(), error);
  if (!error) acceptor.set_option(tcp::acceptor::reuse_address(true), error);
  if (!error) acceptor.bind(endpoint, error);
  if (!error) acceptor.listen(kBacklog, error);
  if (error) return bind_failure(options, error);
  return {};
}

}  // namespace

// Lives on the loop's thread, but for what `mutex` guards and for what is fixed before the loop sees it.
struct Listener::State : std::enable_shared_from_this<Listener::State> {
  State(IoLoop& with, ListenerOptions opts, Gauge& gauge, SessionFactory make)
      : loop(with),
        options(std::move(opts)),
        open_connections(gauge),
        factory(std::move(make)),
        acceptor(with.state().io),
        tick(with.state().io),
        pause(with.state().io) {}

  Status listen_tcp() {
    const auto wanted = resolve(loop.state().io, options);
    if (!wanted.ok()) return wanted.status();
    if (Status listening = listen_on(acceptor, *wanted, options); !listening.ok()) return listening;
    error_code error;
    const tcp::endpoint bound = acceptor.local_endpoint(error);
    if (error) return Status::unavailable(fmt::format("cannot listen on {}: {}", options.address, error.message()));
    port = bound.port();
    endpoint = endpoint_text(bound);
    loopback = bound.address().is_loopback();
    if (!loopback && !options.loopback_only.empty())
      return Status::invalid_argument(fmt::format("cannot listen on {}: {}", endpoint, options.loopback_only));
    return {};
  }

  Status listen_unix() {
    auto opened = SocketFile::open(options.unix_path, kBacklog);
    if (!opened.ok()) return opened.status();
    socket_file = *std::move(opened);
    unix_acceptor.emplace(loop.state().io);
    error_code error;
    unix_acceptor->assign(asio::local::stream_protocol(), socket_file.release(), error);
    if (error) return Status::unavailable(fmt::format("cannot listen on unix:{}: {}", options.unix_path, error.message()));
    endpoint = fmt::format("unix:{}", options.unix_path);
    loopback = true;
    return {};
  }

  template <class Acceptor>
  static asio::awaitable<void> accept_all(std::shared_ptr<State> self, Acceptor& acceptor) {
    while (!self->stopping) {
      error_code error;
      auto socket = co_await acceptor.async_accept(asio::redirect_error(asio::use_awaitable, error));
      if (self->stopping || error == asio::error::operation_aborted) co_return;
      if (!error) {
        self->admit_guarded(std::move(socket));
        continue;
      }
      if (error == asio::error::connection_aborted) continue;
      // EMFILE, ENFILE, ENOBUFS, ENOMEM: the connection stays in the backlog and the descriptor stays readable, so trying again
      // at once would only burn the processor.
      log::warn("accepting connections pauses", {{"address", self->endpoint}, {"code", error.message()}});
      self->pause.expires_after(kAcceptBackOff);
      co_await self->pause.async_wait(asio::redirect_error(asio::use_awaitable, error));
    }
  }

  static asio::awaitable<void> watch_deadlines(std::shared_ptr<State> self) {
    error_code error;
    for (;;) {
      self->tick.expires_after(kDeadlineTick);
      co_await self->tick.async_wait(asio::redirect_error(asio::use_awaitable, error));
      const Ticks now = self->loop.clock().elapsed();
      // A connection removes itself by a posted call, never while it is asked, so the map stands still here.
      for (const auto& [key, connection] : self->connections) connection->enforce_deadlines(now);
      if (self->stopping && now >= self->stop_deadline)
        for (const auto& [key, connection] : self->connections) connection->close_now();
      if (self->stopping && self->connections.empty()) co_return;
    }
  }

  // A connection that cannot be begun ends; the others go on.
  template <class Socket>
  void admit_guarded(Socket socket) {
    try {
      admit(std::move(socket));
    } catch (...) {
      const Incident incident(loop.state().incidents, "connection begins");
    }
  }

  void admit(tcp::socket socket) {
    error_code error;
    const tcp::endpoint peer = socket.remote_endpoint(error);
    if (!error) socket.set_option(tcp::no_delay(true), error);
    if (!error) socket.non_blocking(true, error);
    if (error) return;  // gone before it began
    if (full(socket)) return;
    StreamOptions stream = stream_options(peer.address().to_string());
    if (stream.tls)
      enter(make_tls_connection(loop, std::move(socket), std::move(stream)));
    else
      enter(make_plain_connection(loop, PlainSocket(std::move(socket)), std::move(stream)));
  }

  void admit(UnixSocket socket) {
    error_code error;
    socket.non_blocking(true, error);
    if (error || full(socket)) return;
    enter(make_plain_connection(loop, PlainSocket(std::move(socket)), stream_options(kUnixPeer)));
  }

  template <class Socket>
  bool full(Socket& socket) {
    if (connections.size() < options.connections_max) return false;
    error_code ignored;
    if (!tls && !options.refusal.empty()) socket.write_some(asio::buffer(options.refusal), ignored);
    return true;
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
    if (stopping && connections.empty()) tell_stopped();
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
    if (connections.empty()) tell_stopped();
  }

  void close_acceptor() {
    error_code ignored;
    acceptor.close(ignored);
    if (unix_acceptor) unix_acceptor->close(ignored);
    socket_file.remove();
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
  tcp::acceptor acceptor;
  std::optional<UnixAcceptor> unix_acceptor;  // set: it is this one that accepts
  SocketFile socket_file;
  asio::steady_timer tick;
  asio::steady_timer pause;
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
    auto made = make_tls_context(options.tls);
    if (!made.ok()) return made.status();
    tls = *std::move(made);
  }
  if (!options.budget) options.budget = std::make_shared<ByteBudget>(loop, BudgetBounds());
  const auto state = std::make_shared<State>(loop, std::move(options), open_connections, std::move(factory));
  state->tls = std::move(tls);
  const Status opened = state->options.unix_path.empty() ? state->listen_tcp() : state->listen_unix();
  if (!opened.ok()) return opened;
  loop.post([state] {
    if (state->stopping) return;
    if (state->unix_acceptor)
      asio::co_spawn(state->loop.state().io, State::accept_all(state, *state->unix_acceptor), asio::detached);
    else
      asio::co_spawn(state->loop.state().io, State::accept_all(state, state->acceptor), asio::detached);
    asio::co_spawn(state->loop.state().io, State::watch_deadlines(state), asio::detached);
  });
  return std::unique_ptr<Listener>(new Listener(state));
}

std::uint16_t Listener::port() const { return state_->port; }
std::string Listener::address() const { return state_->endpoint; }
bool Listener::is_loopback() const { return state_->loopback; }

Status Listener::reload_tls() {
  if (!state_->options.tls.enabled() || state_->unix_acceptor) return {};
  auto made = make_tls_context(state_->options.tls);
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
