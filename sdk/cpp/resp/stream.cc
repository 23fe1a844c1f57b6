// Addresses, plain streams and TLS: what address.h and stream.h promise.
#include "sdk/cpp/resp/stream.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstdint>
#include <cstring>
#include <optional>
#include <utility>

namespace muster::sdk::resp {
namespace {

// --- what plain and TLS streams share: an owned descriptor and a wait with a deadline ------------------------------

class Socket {
 public:
  explicit Socket(int fd) : fd_(fd) {}
  ~Socket() {
    if (fd_ >= 0) ::close(fd_);
  }
  Socket(Socket&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Socket& operator=(Socket&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  int fd() const { return fd_; }
  bool valid() const { return fd_ >= 0; }

 private:
  int fd_;
};

enum class Ready : std::uint8_t { yes, no, woken };

Ready wait_for(int fd, short events, Deadline deadline, int wake_fd) {
  while (true) {
    std::array<pollfd, 2> polled{pollfd{fd, events, 0}, pollfd{wake_fd, POLLIN, 0}};
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now()).count();
    constexpr std::int64_t kPollMax = 3'600'000;
    const int result = ::poll(polled.data(), polled.size(), static_cast<int>(std::clamp<std::int64_t>(left, 0, kPollMax)));
    if (result < 0 && errno == EINTR) continue;
    if (result < 0) return Ready::no;
    // Data that came is taken before the wake-up is obeyed: it is never left unread on the way out.
    if (polled[0].revents != 0) return Ready::yes;
    if (polled[1].revents != 0) return Ready::woken;
    if (left <= 0) return Ready::no;
  }
}

// The error for a wait that did not end in readiness.
std::optional<Error> not_ready(Ready ready) {
  switch (ready) {
    case Ready::yes: return std::nullopt;
    case Ready::woken: return Error{.code = Code::interrupted, .detail = "woken"};
    case Ready::no: break;
  }
  return Error{.code = Code::unavailable, .detail = "no answer in time"};
}

Error broken(std::string_view why) {
  return {.code = Code::outcome_unknown, .detail = fmt::format("the connection broke: {}", why)};
}

// --- plain streams -------------------------------------------------------------------------------------------------

constexpr std::size_t kReadChunk = 64 * 1024;

Error unreachable(const Address& address, std::string_view why) {
  return {.code = Code::unreachable, .detail = fmt::format("cannot connect to {}: {}", address.text(), why)};
}

void keep_alive(int fd) {
  const int on = 1;
  const int idle_seconds = 30;
  ::setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  // A machine that vanished without a word is noticed although nothing is sent.
  ::setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof on);
  ::setsockopt(fd, IPPROTO_TCP, TCP_KEEPIDLE, &idle_seconds, sizeof idle_seconds);
}

// 0, or the error number.
int connect_within(int fd, const sockaddr* to, socklen_t length, Deadline deadline) {
  if (::connect(fd, to, length) == 0) return 0;
  if (errno != EINPROGRESS && errno != EAGAIN) return errno;
  if (wait_for(fd, POLLOUT, deadline, -1) != Ready::yes) return ETIMEDOUT;
  int error = 0;
  socklen_t size = sizeof error;
  if (::getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &size) != 0) return errno;
  return error;
}

Result<Socket> open_unix(const Address& address, Deadline deadline) {
  sockaddr_un to{};
  to.sun_family = AF_UNIX;
  std::copy(address.host.begin(), address.host.end(), to.sun_path);
  Socket socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!socket.valid()) return unreachable(address, std::strerror(errno));
  if (const int error = connect_within(socket.fd(), reinterpret_cast<const sockaddr*>(&to), sizeof to, deadline); error != 0)
    return unreachable(address, std::strerror(error));
  return socket;
}

Result<Socket> open_tcp(const Address& address, Deadline deadline) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_NUMERICSERV;
  addrinfo* found = nullptr;
  if (const int error = ::getaddrinfo(address.host.c_str(), std::to_string(address.port).c_str(), &hints, &found); error != 0)
    return unreachable(address, ::gai_strerror(error));
  const std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)> owned(found, &::freeaddrinfo);
  std::string why = "no address";
  for (const addrinfo* each = found; each != nullptr; each = each->ai_next) {
    Socket socket(::socket(each->ai_family, each->ai_socktype | SOCK_CLOEXEC | SOCK_NONBLOCK, each->ai_protocol));
    const int error = socket.valid() ? connect_within(socket.fd(), each->ai_addr, each->ai_addrlen, deadline) : errno;
    if (error == 0) {
      keep_alive(socket.fd());
      return socket;
    }
    why = std::strerror(error);
  }
  return unreachable(address, why);
}

class PlainStream final : public Stream {
 public:
  explicit PlainStream(Socket socket) : socket_(std::move(socket)) {}

  Result<Nothing> write(std::string_view bytes, Deadline deadline) override {
    while (!bytes.empty()) {
      const ssize_t sent = ::send(socket_.fd(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (sent >= 0) {
        bytes.remove_prefix(static_cast<std::size_t>(sent));
      } else if (errno == EAGAIN) {
        if (wait_for(socket_.fd(), POLLOUT, deadline, -1) != Ready::yes) return broken("the server does not read");
      } else if (errno != EINTR) {
        return broken(std::strerror(errno));
      }
    }
    return Nothing{};
  }

  Result<Nothing> read(std::string& out, Deadline deadline, int wake_fd) override {
    std::array<char, kReadChunk> chunk;  // NOLINT: filled by recv
    while (true) {
      const ssize_t got = ::recv(socket_.fd(), chunk.data(), chunk.size(), 0);
      if (got > 0) {
        out.append(chunk.data(), static_cast<std::size_t>(got));
        return Nothing{};
      }
      if (got == 0) return broken("the server closed the connection");
      if (errno == EINTR) continue;
      if (errno != EAGAIN) return broken(std::strerror(errno));
      if (const auto stopped = not_ready(wait_for(socket_.fd(), POLLIN, deadline, wake_fd))) return *stopped;
    }
  }

 private:
  Socket socket_;
};

// --- TLS over a connected socket -----------------------------------------------------------------------------------

constexpr std::size_t kTlsReadChunk = 16 * 1024;  // one record

using Context = std::unique_ptr<SSL_CTX, decltype(&SSL_CTX_free)>;
using Session = std::unique_ptr<SSL, decltype(&SSL_free)>;

std::string reason() {
  std::array<char, 256> text{};
  const unsigned long code = ERR_get_error();
  ERR_clear_error();
  if (code == 0) return "the peer closed the connection";
  ERR_error_string_n(code, text.data(), text.size());
  return text.data();
}

Error untrusted(const Address& address, std::string_view why) {
  return {.code = Code::unreachable, .detail = fmt::format("no TLS with {}: {}", address.text(), why)};
}

class TlsStream final : public Stream {
 public:
  TlsStream(Socket socket, Context context, Session session)
      : socket_(std::move(socket)), context_(std::move(context)), session_(std::move(session)) {}

  Result<Nothing> write(std::string_view bytes, Deadline deadline) override {
    while (!bytes.empty()) {
      std::size_t sent = 0;
      const int result = SSL_write_ex(session_.get(), bytes.data(), bytes.size(), &sent);
      if (result == 1) {
        bytes.remove_prefix(sent);
      } else if (await(result, deadline, -1)) {
        return broken(reason());
      }
    }
    return Nothing{};
  }

  Result<Nothing> read(std::string& out, Deadline deadline, int wake_fd) override {
    std::array<char, kTlsReadChunk> chunk;  // NOLINT: filled by SSL_read_ex
    while (true) {
      std::size_t got = 0;
      const int result = SSL_read_ex(session_.get(), chunk.data(), chunk.size(), &got);
      if (result == 1) {
        out.append(chunk.data(), got);
        return Nothing{};
      }
      if (auto stopped = await(result, deadline, wake_fd)) return *stopped;
    }
  }

  std::optional<Error> handshake(Deadline deadline) {
    while (true) {
      const int result = SSL_connect(session_.get());
      if (result == 1) return std::nullopt;
      if (auto stopped = await(result, deadline, -1)) return stopped;
    }
  }

 private:
  // Waits for what TLS asks for. An error: the wait ended otherwise, or the session is over.
  std::optional<Error> await(int result, Deadline deadline, int wake_fd) {
    switch (SSL_get_error(session_.get(), result)) {
      case SSL_ERROR_WANT_READ: return not_ready(wait_for(socket_.fd(), POLLIN, deadline, wake_fd));
      case SSL_ERROR_WANT_WRITE: return not_ready(wait_for(socket_.fd(), POLLOUT, deadline, wake_fd));
      default: return broken(reason());
    }
  }

  Socket socket_;
  Context context_;
  Session session_;
};

// An error text, or empty.
std::string prepare(SSL_CTX* context, const TlsOptions& options) {
  SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION);
  SSL_CTX_set_verify(context, SSL_VERIFY_PEER, nullptr);
  SSL_CTX_set_mode(context, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
  const bool authorities = options.ca_file.empty() ? SSL_CTX_set_default_verify_paths(context) == 1
                                                   : SSL_CTX_load_verify_file(context, options.ca_file.c_str()) == 1;
  if (!authorities) return fmt::format("authorities `{}`: {}", options.ca_file, reason());
  if (options.cert_file.empty()) return "";
  const std::string& key = options.key_file.empty() ? options.cert_file : options.key_file;
  if (SSL_CTX_use_certificate_chain_file(context, options.cert_file.c_str()) != 1)
    return fmt::format("certificate `{}`: {}", options.cert_file, reason());
  if (SSL_CTX_use_PrivateKey_file(context, key.c_str(), SSL_FILETYPE_PEM) != 1) return fmt::format("key `{}`: {}", key, reason());
  return "";
}

bool expect_name(SSL* session, const std::string& host) {
  std::array<unsigned char, sizeof(in6_addr)> ignored{};
  const bool numeric =
      ::inet_pton(AF_INET, host.c_str(), ignored.data()) == 1 || ::inet_pton(AF_INET6, host.c_str(), ignored.data()) == 1;
  if (numeric) return X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(session), host.c_str()) == 1;
  return SSL_set_tlsext_host_name(session, host.c_str()) == 1 && SSL_set1_host(session, host.c_str()) == 1;
}

// Does the handshake and checks the server's certificate against its name. unreachable: it is not to be trusted.
Result<std::unique_ptr<Stream>> open_tls(Socket socket, const Address& address, const TlsOptions& options, Deadline deadline) {
  Context context(SSL_CTX_new(TLS_client_method()), &SSL_CTX_free);
  if (!context) return untrusted(address, reason());
  if (const std::string problem = prepare(context.get(), options); !problem.empty()) return untrusted(address, problem);
  Session session(SSL_new(context.get()), &SSL_free);
  if (!session || SSL_set_fd(session.get(), socket.fd()) != 1) return untrusted(address, reason());
  if (!address.is_unix && !expect_name(session.get(), address.host)) return untrusted(address, reason());
  auto stream = std::make_unique<TlsStream>(std::move(socket), std::move(context), std::move(session));
  if (const auto error = stream->handshake(deadline)) return untrusted(address, error->detail);
  return std::unique_ptr<Stream>(std::move(stream));
}

constexpr std::string_view kForms = "expected HOST:PORT, [IPV6]:PORT, unix:/path, resp://HOST:PORT or resps://HOST:PORT";

Error wrong(std::string_view text, std::string_view why) {
  return {.code = Code::invalid_argument, .detail = fmt::format("address `{}`: {}; {}", text, why, kForms)};
}

}  // namespace

Result<std::unique_ptr<Stream>> Stream::open(const Address& address, const TlsOptions& tls, Deadline deadline) {
  Result<Socket> socket = address.is_unix ? open_unix(address, deadline) : open_tcp(address, deadline);
  if (!socket.ok()) return socket.error();
  if (address.tls) return open_tls(std::move(*socket), address, tls, deadline);
  return std::unique_ptr<Stream>(std::make_unique<PlainStream>(std::move(*socket)));
}

std::string Address::text() const {
  if (is_unix) return "unix:" + host;
  const bool bare_v6 = host.find(':') != host.npos;
  return fmt::format("{}{}{}{}:{}", tls ? tls_scheme : std::string_view(), bare_v6 ? "[" : "", host, bare_v6 ? "]" : "", port);
}

Result<Address> parse_address(std::string_view text) {
  Address out;
  std::string_view rest = text;
  if (rest.starts_with("resps://")) {
    out.tls = true;
    rest.remove_prefix(8);
  } else if (rest.starts_with("resp://")) {
    rest.remove_prefix(7);
  }
  if (rest.starts_with("unix:")) {
    out.is_unix = true;
    out.host = rest.substr(5);
    if (out.host.empty()) return wrong(text, "the socket has no path");
    if (out.host.size() >= sizeof(sockaddr_un::sun_path)) return wrong(text, "the path of the socket is too long");
    return out;
  }
  if (rest.find("://") != rest.npos) return wrong(text, "only RESP is spoken here");
  std::size_t colon = rest.rfind(':');
  if (rest.starts_with('[')) {
    const std::size_t close = rest.find("]:");
    if (close == rest.npos) return wrong(text, "the port is missing");
    out.host = rest.substr(1, close - 1);
    colon = close + 1;
  } else {
    if (colon == rest.npos) return wrong(text, "the port is missing");
    out.host = rest.substr(0, colon);
    if (out.host.find(':') != out.host.npos) return wrong(text, "an IPv6 address needs brackets");
  }
  if (out.host.empty()) return wrong(text, "the host is missing");
  const std::string_view port = rest.substr(colon + 1);
  const auto [stop, error] = std::from_chars(port.data(), port.data() + port.size(), out.port);
  if (port.empty() || error != std::errc() || stop != port.data() + port.size() || out.port == 0)
    return wrong(text, "the port is not a number from 1 to 65535");
  return out;
}

}  // namespace muster::sdk::resp
