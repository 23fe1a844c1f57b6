#include "net/tls_context.h"

#include <fmt/format.h>
#include <openssl/err.h>
#include <openssl/ssl.h>

#include <cstring>

namespace muster::net {
namespace {

Status refused(std::string_view what, const std::string& file) {
  const unsigned long error = ERR_get_error();
  const char* const reason = ERR_SYSTEM_ERROR(error) ? std::strerror(ERR_GET_REASON(error)) : ERR_reason_error_string(error);
  return Status::invalid_argument(
      fmt::format("{} \"{}\" cannot be used: {}", what, file, reason != nullptr ? reason : "it cannot be read"));
}

// By ALPN (RFC 7301), the better one first, in the form OpenSSL compares.
constexpr std::string_view kHttpProtocols = "\x02h2\x08http/1.1";

// A peer that names neither goes on without: its first bytes tell what it speaks.
int choose_protocol(SSL*, const unsigned char** chosen, unsigned char* size, const unsigned char* offered, unsigned offered_size,
                    void*) {
  unsigned char* found = nullptr;
  const int outcome = SSL_select_next_proto(&found, size, reinterpret_cast<const unsigned char*>(kHttpProtocols.data()),
                                            static_cast<unsigned>(kHttpProtocols.size()), offered, offered_size);
  *chosen = found;
  return outcome == OPENSSL_NPN_NEGOTIATED ? SSL_TLSEXT_ERR_OK : SSL_TLSEXT_ERR_NOACK;
}

// Without one, OpenSSL refuses whoever resumes a session when clients have to show certificates.
constexpr std::string_view kSessionContext = "muster";

}  // namespace

Result<TlsContext> make_tls_context(const TlsOptions& options, bool offers_http2) {
  ERR_clear_error();
  const TlsContext context(SSL_CTX_new(TLS_server_method()), &SSL_CTX_free);
  SSL_CTX* const made = context.get();
  if (made == nullptr || SSL_CTX_set_min_proto_version(made, TLS1_2_VERSION) != 1)
    return Status::internal("tls: OpenSSL makes no context");
  SSL_CTX_set_options(made, SSL_OP_ALL | SSL_OP_NO_COMPRESSION | SSL_OP_NO_RENEGOTIATION);
  // Idle connections give their record buffers back. Bytes to be encrypted may have moved by the time they are offered again.
  SSL_CTX_set_mode(made, SSL_MODE_RELEASE_BUFFERS | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
  SSL_CTX_set_session_id_context(made, reinterpret_cast<const unsigned char*>(kSessionContext.data()),
                                 static_cast<unsigned>(kSessionContext.size()));
  if (offers_http2) SSL_CTX_set_alpn_select_cb(made, choose_protocol, nullptr);
  if (SSL_CTX_use_certificate_chain_file(made, options.certificate_file.c_str()) != 1)
    return refused("tls certificate", options.certificate_file);
  if (SSL_CTX_use_PrivateKey_file(made, options.key_file.c_str(), SSL_FILETYPE_PEM) != 1)
    // A key that is not the certificate's is already found here.
    return ERR_GET_REASON(ERR_peek_error()) == X509_R_KEY_VALUES_MISMATCH
               ? Status::invalid_argument(fmt::format("tls key \"{}\" does not belong to certificate \"{}\"", options.key_file,
                                                      options.certificate_file))
               : refused("tls key", options.key_file);
  if (SSL_CTX_check_private_key(made) != 1)
    return Status::invalid_argument(
        fmt::format("tls key \"{}\" does not belong to certificate \"{}\"", options.key_file, options.certificate_file));
  if (options.client_ca_file.empty()) return context;
  if (SSL_CTX_load_verify_locations(made, options.client_ca_file.c_str(), nullptr) != 1)
    return refused("tls client ca", options.client_ca_file);
  SSL_CTX_set_verify(made, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, nullptr);
  return context;
}

}  // namespace muster::net
