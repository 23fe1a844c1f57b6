// What only the composition root can say about the server it made: its settings, and what a check-up finds. It hands one in with
// the ServerFacts.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/reply.h"
#include "command/context.h"

namespace muster::command {

struct SettingShown {
  std::string section, key;
  std::string value;     // as a user would write it; a secret's is redacted
  std::string fallback;  // the default
  std::string source;    // "default", or the file, variable or flag that said it
  std::string help;
  bool reloadable = false;
};

// A setting that is another one in a namespace.
struct NamespaceSettingShown {
  std::string ns, section, key, value, source;
};

// A token, a worker's key or a certificate, without what is secret about it.
struct CredentialShown {
  std::string name;
  std::string role;
  std::string worker;                                    // the only one it may act as; empty: any
  std::optional<std::vector<NamespaceName>> namespaces;  // empty: all
  std::string source;
};

struct ConfigShown {
  std::string file;  // empty: none was given
  std::vector<SettingShown> settings;
  std::vector<NamespaceSettingShown> namespaces;
  std::vector<CredentialShown> credentials;
};

enum class CheckState : std::uint8_t { ok, warn, fail };

struct Check {
  std::string name;
  CheckState state = CheckState::ok;
  std::string text;    // what was seen
  std::string remedy;  // what to do; empty when ok
};

struct CheckUp {
  Instant at{};
  std::vector<Check> checks;
};

// Any thread.
class Inspection {
 public:
  virtual ~Inspection() = default;
  virtual ConfigShown config() const = 0;
  // Looks at disks, so it never does it on the caller's thread. exhausted: too many wait for it.
  virtual void check(Reply<CheckUp> reply) = 0;
};

}  // namespace muster::command
