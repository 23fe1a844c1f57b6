// Who sends a request, by its token or by the cookie of a browser that is signed in; and how such a browser is told of its
// session.
//
// A token that is shown counts, and a cookie is not looked at beside it. A cookie opens nothing for other pages than the server's
// own: what changes something must come with its Origin, whatever http.cors_origins says, since those pages bring tokens of their
// own.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/status.h"
#include "fronts/auth/origin_rule.h"
#include "fronts/http/auth.h"
#include "fronts/http/request.h"

namespace muster::http {

class Core;

// Of the dashboard; a code follows. What is behind `#` is sent to nobody.
inline constexpr std::string_view kSignInPath = "/#link=";

// Of a request's head.
struct Identification {
  Method method = Method::other;
  std::string_view host;
  std::string_view origin;
  std::string_view authorization;
  std::string_view cookie;
};
Identification identification_of(const Request& request);

auth::OriginRule origin_rule(const Core& core, bool rpc);

// unauthenticated, exhausted: as Authenticator says. permission_denied: a cookie, and the page is not ours.
Result<Credential> identify(Core& core, const Identification& shown, const std::string& address);

// The id of the browser's session; empty: it shows none. The cookie is called by the port that the browser sees, since cookies of
// one host are sent to all of its ports.
std::string_view session_id_of(const Identification& shown);
std::string cookie_name(std::string_view host);
// Values of Set-Cookie: kept for so long, and forgotten.
struct CookieLook {
  std::string_view host;
  bool tls = false;
};
std::string session_cookie(const CookieLook& look, std::string_view id, Ticks life);
std::string no_session_cookie(const CookieLook& look);

}  // namespace muster::http
