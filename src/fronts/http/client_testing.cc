#include "fronts/http/client_testing.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <openssl/ssl.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <utility>

#include "base/ascii.h"
#include "base/patience_testing.h"

namespace muster::http {

struct Client::State {
  int socket = -1;
  SSL_CTX* context = nullptr;
  SSL* tls = nullptr;
  bool connected = false;

  ~State() {
    if (tls != nullptr) SSL_free(tls);
    if (context != nullptr) SSL_CTX_free(context);
    if (socket >= 0) ::close(socket);
  }
};

Client::Client(std::uint16_t port) : state_(std::make_unique<State>()) {
  state_->socket = ::socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  const timeval limit = socket_patience();
  ::setsockopt(state_->socket, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
  state_->connected = ::connect(state_->socket, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
}

Client::Client(std::uint16_t port, const ClientTls& tls) : Client(port) {
  state_->context = SSL_CTX_new(TLS_client_method());
  SSL_CTX_load_verify_locations(state_->context, tls.ca_file.c_str(), nullptr);
  SSL_CTX_set_verify(state_->context, SSL_VERIFY_PEER, nullptr);
  if (!tls.certificate_file.empty()) {
    SSL_CTX_use_certificate_file(state_->context, tls.certificate_file.c_str(), SSL_FILETYPE_PEM);
    SSL_CTX_use_PrivateKey_file(state_->context, tls.key_file.c_str(), SSL_FILETYPE_PEM);
  }
  state_->tls = SSL_new(state_->context);
  SSL_set_fd(state_->tls, state_->socket);
  state_->connected = state_->connected && SSL_connect(state_->tls) == 1;
}

Client::~Client() = default;
Client::Client(Client&&) noexcept = default;

bool Client::connected() const { return state_->connected; }

void Client::send(std::string_view bytes) {
  while (!bytes.empty()) {
    const auto sent = state_->tls != nullptr ? SSL_write(state_->tls, bytes.data(), static_cast<int>(bytes.size()))
                                             : ::send(state_->socket, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent <= 0) return;
    bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
}

void Client::finish_sending() { ::shutdown(state_->socket, SHUT_WR); }

void Client::close() {
  ::close(state_->socket);
  state_->socket = -1;
}

bool Client::fill() {
  std::array<char, 16 * 1024> chunk;
  const auto got = state_->tls != nullptr ? SSL_read(state_->tls, chunk.data(), static_cast<int>(chunk.size()))
                                          : ::recv(state_->socket, chunk.data(), chunk.size(), 0);
  if (got <= 0) return false;
  buffer_.append(chunk.data(), static_cast<std::size_t>(got));
  return true;
}

std::string Client::read_until(std::string_view end) {
  std::size_t at = std::string::npos;
  while ((at = buffer_.find(end)) == std::string::npos)
    if (!fill()) return std::exchange(buffer_, {});
  std::string out = buffer_.substr(0, at + end.size());
  buffer_.erase(0, at + end.size());
  return out;
}

Answer Client::read_answer(bool head) {
  const std::string text = read_until("\r\n\r\n");
  Answer answer;
  if (!text.starts_with("HTTP/1.1 ") || text.size() < 12) return answer;
  std::size_t at = text.find("\r\n") + 2;
  while (at < text.size() - 2) {
    const std::size_t end = text.find("\r\n", at);
    const std::size_t colon = text.find(':', at);
    std::string name = text.substr(at, colon - at);
    name = lower(name);
    answer.headers[name] = text.substr(colon + 2, end - colon - 2);
    at = end + 2;
  }
  const auto length = answer.headers.find("content-length");
  const std::size_t wanted = head || length == answer.headers.end() ? 0 : std::stoul(length->second);
  while (buffer_.size() < wanted)
    if (!fill()) return answer;
  answer.body = buffer_.substr(0, wanted);
  buffer_.erase(0, wanted);
  answer.status = std::stoi(text.substr(9, 3));
  return answer;
}

bool Client::read_end() {
  if (!buffer_.empty()) return false;
  std::array<char, 1> one;
  if (state_->tls != nullptr) return SSL_read(state_->tls, one.data(), 1) <= 0;
  const auto got = ::recv(state_->socket, one.data(), one.size(), 0);
  return got == 0 || (got < 0 && errno == ECONNRESET);
}

std::string request_text(std::string_view method, std::string_view target, std::string_view body, std::string_view headers) {
  std::string text = fmt::format("{} {} HTTP/1.1\r\nHost: localhost\r\n{}", method, target, headers);
  if (!body.empty()) text += fmt::format("Content-Type: application/json\r\nContent-Length: {}\r\n", body.size());
  return text + "\r\n" + std::string(body);
}

Answer Client::call(std::string_view method, std::string_view target, std::string_view body, std::string_view headers) {
  send(request_text(method, target, body, headers));
  return read_answer(method == "HEAD");
}

std::string gunzip(std::string_view bytes) {
  z_stream stream{};
  if (inflateInit2(&stream, 15 + 16) != Z_OK) return {};
  std::string out;
  std::array<char, 64 * 1024> chunk;
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  int result = Z_OK;
  while (result == Z_OK) {
    stream.next_out = reinterpret_cast<Bytef*>(chunk.data());
    stream.avail_out = chunk.size();
    result = inflate(&stream, Z_NO_FLUSH);
    out.append(chunk.data(), chunk.size() - stream.avail_out);
  }
  inflateEnd(&stream);
  return result == Z_STREAM_END ? out : std::string();
}

}  // namespace muster::http
