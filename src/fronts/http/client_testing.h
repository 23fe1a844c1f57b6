// A blunt HTTP client for tests: raw bytes over a blocking socket, plain or TLS, with a time-out instead of a hang.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace muster::http {

struct Answer {
  int status = 0;                              // 0: no whole answer came before the end or the time-out
  std::map<std::string, std::string> headers;  // names in lower case
  std::string body;                            // as sent; see gunzip()
};

struct ClientTls {
  std::string ca_file;
  std::string certificate_file;  // empty: none is shown
  std::string key_file;
};

class Client {
 public:
  explicit Client(std::uint16_t port);
  Client(std::uint16_t port, const ClientTls& tls);  // connected() is false when the handshake failed
  ~Client();
  Client(Client&&) noexcept;

  bool connected() const;
  void send(std::string_view bytes);
  void finish_sending();
  void close();
  // Up to and including `end`; what came so far when the peer closed or the time ran out.
  std::string read_until(std::string_view end);
  Answer read_answer(bool head = false);
  bool read_end();  // true: the peer closed, with nothing before it

  // One request and its answer.
  Answer call(std::string_view method, std::string_view target, std::string_view body = {}, std::string_view headers = {});

 private:
  struct State;
  bool fill();
  std::unique_ptr<State> state_;
  std::string buffer_;
};

std::string request_text(std::string_view method, std::string_view target, std::string_view body = {},
                         std::string_view headers = {});
std::string gunzip(std::string_view bytes);

}  // namespace muster::http
