#include "fronts/grpc/tls.h"

#include <fmt/format.h>
#include <grpcpp/security/tls_certificate_provider.h>
#include <grpcpp/security/tls_credentials_options.h>
#include <openssl/err.h>
#include <openssl/ssl.h>

#include <string>

namespace muster::rpc {
namespace {

struct ContextDeleter {
  void operator()(SSL_CTX* context) const { SSL_CTX_free(context); }
};

Status refused(std::string_view what, const std::string& file) {
  ERR_clear_error();
  return Status::invalid_argument(
      fmt::format("{} {} cannot be used: it is missing, not PEM, or does not fit the others", what, file));
}

}  // namespace

Status check_tls(const net::TlsOptions& options) {
  if (!options.enabled()) return {};
  const std::unique_ptr<SSL_CTX, ContextDeleter> context(SSL_CTX_new(TLS_server_method()));
  if (!context) return Status::internal("OpenSSL gives no context");
  if (SSL_CTX_use_certificate_chain_file(context.get(), options.certificate_file.c_str()) != 1)
    return refused("certificate", options.certificate_file);
  if (SSL_CTX_use_PrivateKey_file(context.get(), options.key_file.c_str(), SSL_FILETYPE_PEM) != 1 ||
      SSL_CTX_check_private_key(context.get()) != 1)
    return refused("key", options.key_file);
  if (!options.client_ca_file.empty() &&
      SSL_CTX_load_verify_locations(context.get(), options.client_ca_file.c_str(), nullptr) != 1)
    return refused("client CA", options.client_ca_file);
  return {};
}

std::shared_ptr<grpc::ServerCredentials> credentials(const net::TlsOptions& options) {
  if (!options.enabled()) return grpc::InsecureServerCredentials();
  namespace tls = grpc::experimental;
  const bool ask_clients = !options.client_ca_file.empty();
  const auto look_every = static_cast<unsigned>(std::chrono::duration_cast<std::chrono::seconds>(kCertificateLookEvery).count());
  auto files = std::make_shared<tls::FileWatcherCertificateProvider>(options.key_file, options.certificate_file,
                                                                     options.client_ca_file, look_every);
  tls::TlsServerCredentialsOptions chosen(std::move(files));
  chosen.watch_identity_key_cert_pairs();
  if (ask_clients) chosen.watch_root_certs();
  chosen.set_cert_request_type(ask_clients ? GRPC_SSL_REQUEST_AND_REQUIRE_CLIENT_CERTIFICATE_AND_VERIFY
                                           : GRPC_SSL_DONT_REQUEST_CLIENT_CERTIFICATE);
  return tls::TlsServerCredentials(chosen);
}

}  // namespace muster::rpc
