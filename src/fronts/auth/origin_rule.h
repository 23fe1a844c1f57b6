// Which browser pages may call: one rule for every wire that a browser can speak. Pure.
//
// A page is judged twice. Its `Host` must be a name of ours where no token is asked for, so that a foreign name that was pointed
// at this machine (DNS rebinding) reaches nothing. Its `Origin` must be the server's own or a configured one, so that a foreign
// page cannot send requests in its visitor's place. Programs send no `Origin` and are judged by their `Host` alone.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace muster::auth {

struct OriginRule {
  std::vector<std::string> origins;     // accepted beside the server's own; "*" is any, and counts only with tokens
  std::vector<std::string> host_names;  // accepted in `Host` beside loopback names
  bool tls = false;                     // of the listener
  bool loopback = true;                 // of the listener
  bool tokens_required = false;         // nobody is let in without one
};

// As browsers send them.
struct PageHeaders {
  std::string_view host;    // empty: none was sent
  std::string_view origin;  // empty: none was sent
};

// permission_denied: the request comes by a name that is not ours, or from a page that may not call.
Status check_page(const OriginRule& rule, const PageHeaders& headers);

// Does the page come from this very server? Its `Origin` says so; a request without one comes from no page that we know of.
bool is_own_page(const OriginRule& rule, const PageHeaders& headers);

// "localhost", 127.0.0.0/8 and [::1], with or without a port.
bool is_loopback_host(std::string_view host);

}  // namespace muster::auth
