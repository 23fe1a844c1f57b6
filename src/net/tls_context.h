// Makes the TLS side of a listener from its files. Private to net/.
#pragma once

#include <memory>

#include "base/status.h"
#include "net/tls.h"

struct ssl_ctx_st;

namespace muster::net {

// Shared by the listener and the connections that were accepted with it: a reload replaces it for new ones only.
using TlsContext = std::shared_ptr<ssl_ctx_st>;

// invalid_argument names the file that cannot be used and why.
// `offers_http2`: h2 is preferred to http/1.1 when a peer asks by ALPN; else there is no ALPN.
Result<TlsContext> make_tls_context(const TlsOptions& options, bool offers_http2 = false);

}  // namespace muster::net
