// Who sends a request: the rules of fronts/auth/, under the names this front uses.
#pragma once

#include "fronts/auth/authenticator.h"

namespace muster::http {

using auth::Authenticator;
using auth::Credential;

}  // namespace muster::http
