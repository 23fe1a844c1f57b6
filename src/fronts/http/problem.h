// Errors on this wire: one status for every Code, and problem details (RFC 9457) as the body.
#pragma once

#include <string>
#include <string_view>

#include "base/status.h"
#include "fronts/http/response.h"

namespace muster::http {

// No default inside: a new Code stops the build until this wire has decided.
unsigned http_status(Code code);

// `instance` is the path of the request. The status is that of the code.
Response problem(const Status& status, std::string_view instance);
// For the statuses that say more than the code: 405, 408, 413, 415, 431.
Response problem(unsigned http_status, const Status& status, std::string_view instance);

}  // namespace muster::http
