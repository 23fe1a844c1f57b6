// How two sides come to terms about permessage-deflate (RFC 7692, section 7.1): the server chooses among the client's offers, the
// client judges the answer. Used by upgrade.h.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/status.h"
#include "websocket/deflate_terms.h"
#include "websocket/extensions.h"

namespace muster::websocket {

// The server's choice: the first offer that is well formed and within the policy. `answer` is what its header says.
struct DeflateAgreement {
  DeflateTerms terms;
  std::string answer;
};
std::optional<DeflateAgreement> choose_deflate(const std::vector<Extension>& offers, const DeflatePolicy& policy);

// The client's offer. REQUIRES: policy.enabled.
std::string deflate_offer(const DeflatePolicy& policy);
// What the server's answer makes of it; nullopt: no compression. invalid_argument: the answer names what was not offered, or
// breaks the rules for its parameters; the connection is not to be used.
Result<std::optional<DeflateTerms>> judge_deflate_answer(const std::vector<Extension>& answer, const DeflatePolicy& offered);

}  // namespace muster::websocket
