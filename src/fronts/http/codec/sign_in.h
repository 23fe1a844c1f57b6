// Who is looking, as JSON.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "command/context.h"
#include "fronts/http/json/fields.h"
#include "fronts/http/json/writer.h"

namespace muster::http {

struct WhoAmI {
  std::string name;
  std::string role;
  std::string worker;                                    // the only one it may act as; empty: any
  std::optional<std::vector<NamespaceName>> namespaces;  // empty: all
  bool signed_in = false;
  std::optional<Instant> expires_at;  // of the browser's session
};

struct SignInLink {
  std::string path;
  std::optional<Instant> expires_at;
};

struct SignedOut {
  bool signed_out = false;
};

const Object<WhoAmI>& object_of(Of<WhoAmI>);
const Object<SignInLink>& object_of(Of<SignInLink>);
const Object<SignedOut>& object_of(Of<SignedOut>);

}  // namespace muster::http
