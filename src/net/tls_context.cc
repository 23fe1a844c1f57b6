#include "net/tls_context.h"

#include <fmt/format.h>
#include <openssl/ssl.h>

namespace muster::net {
namespace {

namespace ssl = boost::asio::ssl;

Status refused(std::string_view what, const std::string& file, const boost::system::error_code& error) {
  return Status::invalid_argument(fmt::format("{} \"{}\" cannot be used: {}", what, file, error.message()));
}

}  // namespace

Result<TlsContext> make_tls_context(const TlsOptions& options) {
  auto context = std::make_shared<ssl::context>(ssl::context::tls_server);
  boost::system::error_code error;
  context->set_options(ssl::context::default_workarounds | ssl::context::no_sslv2 | ssl::context::no_sslv3 |
                           ssl::context::no_tlsv1 | ssl::context::no_tlsv1_1 | ssl::context::no_compression,
                       error);
  if (error) return Status::internal(fmt::format("tls options: {}", error.message()));
  // Idle connections give their record buffers back.
  SSL_CTX_set_mode(context->native_handle(), SSL_MODE_RELEASE_BUFFERS);
  SSL_CTX_set_options(context->native_handle(), SSL_OP_NO_RENEGOTIATION);
  context->use_certificate_chain_file(options.certificate_file, error);
  if (error) return refused("tls certificate", options.certificate_file, error);
  context->use_private_key_file(options.key_file, ssl::context::pem, error);
  if (error) return refused("tls key", options.key_file, error);
  if (SSL_CTX_check_private_key(context->native_handle()) != 1)
    return Status::invalid_argument(
        fmt::format("tls key \"{}\" does not belong to certificate \"{}\"", options.key_file, options.certificate_file));
  if (options.client_ca_file.empty()) return context;
  context->load_verify_file(options.client_ca_file, error);
  if (error) return refused("tls client ca", options.client_ca_file, error);
  context->set_verify_mode(ssl::verify_peer | ssl::verify_fail_if_no_peer_cert, error);
  if (error) return Status::internal(fmt::format("tls verification: {}", error.message()));
  return context;
}

}  // namespace muster::net
