#include "cli/exit_code.h"

#include <fmt/format.h>

namespace muster::cli {

Exit exit_for(const sdk::Error& error) {
  using sdk::Code;
  switch (error.code) {
    case Code::unreachable: return Exit::unreachable;
    case Code::not_found: return Exit::not_found;
    case Code::unauthenticated:
    case Code::permission_denied:
    case Code::already_exists:
    case Code::conflict:
    case Code::lease_lost:
    case Code::exhausted: return Exit::refused;
    // Without a status it never left this machine: the command line is what is wrong.
    case Code::invalid_argument: return error.status == 0 ? Exit::usage : Exit::refused;
    case Code::unavailable:
    case Code::outcome_unknown:
    case Code::corrupt:
    case Code::internal:
    case Code::interrupted:
    case Code::bad_reply: return Exit::failure;
  }
  return Exit::failure;
}

std::string advice_for(const sdk::Error& error, const Globals& globals) {
  using sdk::Code;
  switch (error.code) {
    case Code::unreachable:
      if (error.detail.find("certificate") != std::string::npos)
        return "give the certificate of the authority that signed the server's with --ca FILE";
      return fmt::format("start a server with `muster serve`, or name another one with --server (now {})", globals.server);
    case Code::unauthenticated:
      if (!globals.token.empty()) return "the token given is not one of the server's: check --token-file or MUSTER_TOKEN";
      return "give a token: --token-file FILE or MUSTER_TOKEN; the operator's key is the server's auth.session_key, or stands in "
             "session.key of its data folder";
    case Code::permission_denied: return "use a token with another role";
    case Code::exhausted:
      if (error.retry_after) return fmt::format("try again in {} s", error.retry_after->count());
      return "try again in a moment";
    case Code::unavailable:
      if (error.status == 0) return "try again; if the server speaks TLS, its address begins with https://";
      return "nothing was written: try again; `muster doctor` looks for the cause";
    case Code::outcome_unknown: return "it may have been written: look before you repeat it";
    case Code::bad_reply: return fmt::format("is {} a muster server of this version?", globals.server);
    case Code::corrupt:
    case Code::internal: return "see the server's log";
    case Code::conflict: return "read its state again, then decide";
    case Code::lease_lost: return "somebody else owns the job now";
    case Code::invalid_argument:
    case Code::not_found:
    case Code::already_exists:
    case Code::interrupted: return "";
  }
  return "";
}

}  // namespace muster::cli
