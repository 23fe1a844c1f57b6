// TLS over a connected socket. Private to this folder; OpenSSL stays inside the source file.
#pragma once

#include <memory>

#include "sdk/cpp/resp/socket.h"

namespace muster::sdk::resp {

// Does the handshake and checks the server's certificate against its name. unreachable: it is not to be trusted.
Result<std::unique_ptr<Stream>> open_tls(Socket socket, const Address& address, const TlsOptions& options, Deadline deadline);

}  // namespace muster::sdk::resp
