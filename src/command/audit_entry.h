// How deeds are written down: a line in the log, and a row in the audit book (engine/audit.h). Used by door.h alone.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/status.h"
#include "command/context.h"
#include "command/spec.h"
#include "command/target.h"
#include "engine/engine.h"

namespace muster::command {

// What is told about an intervention besides its outcome.
struct AuditEntry {
  AuditEntry() = default;
  AuditEntry(const Caller& caller, Subject about);

  std::string who;      // the token's name
  std::string address;  // of the peer
  Role role = Role::read_only;
  WorkerId worker;          // that the caller acts as
  std::string correlation;  // the wire's own name for the request; empty: it has none
  Subject subject;
};

void write_audit(engine::Engine& engine, const Spec& command, const AuditEntry& entry, Code outcome);

// What a wire does by itself, and many times a second: it goes into the book alone.
struct Noted {
  std::string_view action;  // as a command is called
  NamespaceName ns;
  WorkerId worker{};          // that it was done with
  std::string target{};       // what it was done to
  std::string correlation{};  // the wire's own name for it
  std::string_view outcome;   // ok, or a code of the wire
  bool deed = false;          // somebody did it, rather than the server: an operator's is kept as long as an intervention
};
void write_note(engine::Engine& engine, const Caller& caller, Noted noted);

}  // namespace muster::command
