#include "net/tls_stream.h"

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/ssl.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <new>

namespace muster::net {
namespace {

constexpr std::size_t kOutputKept = 4 * 1024;  // by an idle connection

}  // namespace

// A BIO on the strings of a TlsStream.
struct TlsBytes {
  static TlsStream& of(BIO* bio) { return *static_cast<TlsStream*>(BIO_get_data(bio)); }

  static int read(BIO* bio, char* to, int room) {
    std::string_view& input = of(bio).input_;
    BIO_clear_retry_flags(bio);
    if (input.empty()) {
      BIO_set_retry_read(bio);
      return -1;
    }
    const std::size_t taken = std::min(input.size(), static_cast<std::size_t>(room));
    std::memcpy(to, input.data(), taken);
    input.remove_prefix(taken);
    return static_cast<int>(taken);
  }

  static int write(BIO* bio, const char* from, int length) {
    of(bio).output_.append(from, static_cast<std::size_t>(length));
    return length;
  }

  static long control(BIO*, int what, long, void*) { return what == BIO_CTRL_FLUSH ? 1 : 0; }

  static const BIO_METHOD* method() {
    static const BIO_METHOD* const made = [] {
      BIO_METHOD* const method = BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "bytes of a connection");
      if (method == nullptr) throw std::bad_alloc();
      BIO_meth_set_read(method, read);
      BIO_meth_set_write(method, write);
      BIO_meth_set_ctrl(method, control);
      return method;
    }();
    return made;
  }
};

TlsStream::TlsStream(const TlsContext& context) : connection_(SSL_new(context.get())) {
  BIO* const bytes = connection_ != nullptr ? BIO_new(TlsBytes::method()) : nullptr;
  if (bytes == nullptr) {
    SSL_free(connection_);
    throw std::bad_alloc();
  }
  BIO_set_data(bytes, this);
  BIO_set_init(bytes, 1);
  SSL_set_bio(connection_, bytes, bytes);
  SSL_set_accept_state(connection_);
}

TlsStream::~TlsStream() { SSL_free(connection_); }

TlsStream::Step TlsStream::step_after(int result) const {
  switch (SSL_get_error(connection_, result)) {
    case SSL_ERROR_NONE: return Step::done;
    case SSL_ERROR_WANT_READ: return Step::more;
    case SSL_ERROR_ZERO_RETURN: return Step::ended;
    default: return Step::broken;
  }
}

TlsStream::Step TlsStream::handshake() {
  ERR_clear_error();
  return step_after(SSL_do_handshake(connection_));
}

TlsStream::Step TlsStream::read(std::span<char> plain, std::size_t& got) {
  for (got = 0;;) {
    if (got == plain.size()) return Step::done;
    std::size_t bytes = 0;
    ERR_clear_error();
    const int result = SSL_read_ex(connection_, plain.data() + got, plain.size() - got, &bytes);
    if (result != 1) return step_after(result);
    got += bytes;
  }
}

bool TlsStream::write(std::string_view plain) {
  std::size_t written = 0;
  ERR_clear_error();
  return plain.empty() || (SSL_write_ex(connection_, plain.data(), plain.size(), &written) == 1 && written == plain.size());
}

void TlsStream::say_goodbye() {
  ERR_clear_error();
  SSL_shutdown(connection_);
}

void TlsStream::sent(std::size_t bytes) {
  sent_ += bytes;
  if (sent_ < output_.size()) return;
  sent_ = 0;
  output_.clear();
  if (output_.capacity() > kOutputKept) output_.shrink_to_fit();
}

}  // namespace muster::net
