// Makes the TLS side of a listener from its files. Private to net/.
#pragma once

#include <boost/asio/ssl/context.hpp>
#include <memory>

#include "base/status.h"
#include "net/tls.h"

namespace muster::net {

// Shared by the listener and the connections that were accepted with it: a reload replaces it for new ones only.
using TlsContext = std::shared_ptr<boost::asio::ssl::context>;

// invalid_argument names the file that cannot be used and why.
Result<TlsContext> make_tls_context(const TlsOptions& options);

}  // namespace muster::net
