// TLS of one connection without its socket: what came goes in, what is to be sent comes out, and between them is OpenSSL, which
// reads and writes our bytes where they are. Private to net/.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "net/tls_context.h"

struct ssl_st;

namespace muster::net {

class TlsStream {
 public:
  explicit TlsStream(const TlsContext& context);
  ~TlsStream();
  TlsStream(const TlsStream&) = delete;
  TlsStream& operator=(const TlsStream&) = delete;

  enum class Step {
    done,    // the handshake; or there is no room for more bytes
    more,    // the peer has to send more first
    ended,   // the peer said goodbye
    broken,  // what came is no TLS, or not what we accept
  };

  // What came from the socket. Stays where it is until handshake() and read() have asked for more.
  void feed(std::string_view bytes) { input_ = bytes; }
  Step handshake();
  // Fills the front of `plain` with `got` bytes, whatever stopped it then.
  Step read(std::span<char> plain, std::size_t& got);
  // Encrypts all of it. False: broken. REQUIRES: the handshake is done.
  [[nodiscard]] bool write(std::string_view plain);
  void say_goodbye();

  // What is to be sent to the peer; sent() takes it from the front.
  std::string_view output() const { return std::string_view(output_).substr(sent_); }
  void sent(std::size_t bytes);

  ssl_st* connection() const { return connection_; }

 private:
  friend struct TlsBytes;  // OpenSSL's way to the two strings
  Step step_after(int result) const;

  ssl_st* connection_;
  std::string_view input_;
  std::string output_;
  std::size_t sent_ = 0;  // of output_
};

}  // namespace muster::net
