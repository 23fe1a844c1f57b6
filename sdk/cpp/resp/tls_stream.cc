#include "sdk/cpp/resp/tls_stream.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <poll.h>

#include <array>

namespace muster::sdk::resp {
namespace {

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

}  // namespace

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

}  // namespace muster::sdk::resp
