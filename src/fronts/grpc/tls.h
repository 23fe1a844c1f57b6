// Certificates of the gRPC listener. gRPC reads the files again by itself, so that new ones need no restart.
#pragma once

#include <grpcpp/security/server_credentials.h>

#include <memory>

#include "base/clock.h"
#include "base/status.h"
#include "net/tls.h"

namespace muster::rpc {

inline constexpr Duration kCertificateLookEvery{10'000};

// invalid_argument: a file cannot be read, or the key is not the certificate's.
Status check_tls(const net::TlsOptions& options);
// Without TLS: as if nothing were between the peers. REQUIRES: check_tls() is ok.
std::shared_ptr<grpc::ServerCredentials> credentials(const net::TlsOptions& options);

}  // namespace muster::rpc
