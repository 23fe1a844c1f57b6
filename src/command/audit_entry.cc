#include "command/audit_entry.h"

#include "base/log.h"

namespace muster::command {
namespace {

constexpr std::size_t kShownTargetBytes = 256;  // a name that is too long is refused later, and need not fill the log

// What anybody can cause in any number must not push operators' deeds out of the book: what was refused for want of a right, and
// what the server does by itself for others.
engine::AuditShelf shelf_of(const AuditEntry& entry, Code outcome) {
  const bool by_itself = entry.address.empty() && entry.who == itself().name;
  return by_itself || outcome == Code::permission_denied ? engine::AuditShelf::traffic : engine::AuditShelf::deeds;
}

}  // namespace

AuditEntry::AuditEntry(const Caller& caller, Subject about)
    : who(caller.name),
      address(caller.address),
      role(caller.role),
      worker(caller.worker),
      correlation(caller.correlation),
      subject(std::move(about)) {
  if (subject.ns.empty() && caller.namespaces && caller.namespaces->size() == 1) subject.ns = caller.namespaces->front();
}

void write_audit(engine::Engine& engine, const Spec& command, const AuditEntry& entry, Code outcome) {
  // Whoever counts before he acts has done nothing yet; that he may not act is worth knowing.
  if (entry.subject.dry_run && outcome != Code::permission_denied) return;
  log::info("audit", {{"who", entry.who},
                      {"address", entry.address},
                      {"type", std::string(command.name)},
                      {"target", entry.subject.target.substr(0, kShownTargetBytes)},
                      {"outcome", std::string(to_string(outcome))},
                      {"corr", entry.correlation}});
  engine::AuditRow row{.ns = entry.subject.ns,
                       .who = entry.who,
                       .role = std::string(to_string(entry.role)),
                       .address = entry.address,
                       .worker = entry.worker.text(),
                       .action = std::string(command.name),
                       .target = entry.subject.target,
                       .correlation = entry.correlation,
                       .outcome = std::string(to_string(outcome))};
  const engine::AuditShelf shelf = shelf_of(entry, outcome);
  if (!row.ns.empty() || !entry.subject.job) return engine.audit().add(std::move(row), shelf);
  // Whose job it was, so that its namespace sees what was done to it.
  engine.jobs().get({*entry.subject.job},
                    [&book = engine.audit(), row = std::move(row), shelf](const Result<store::Each<Job>>& found) mutable {
                      if (found.ok() && found->front().ok()) row.ns = found->front()->spec.ns;
                      book.add(std::move(row), shelf);
                    });
}

void write_note(engine::Engine& engine, const Caller& caller, Noted noted) {
  engine.audit().add({.ns = std::move(noted.ns),
                      .who = caller.name,
                      .role = std::string(to_string(caller.role)),
                      .address = caller.address,
                      .worker = noted.worker.text(),
                      .action = std::string(noted.action),
                      .target = std::move(noted.target),
                      .correlation = std::move(noted.correlation),
                      .outcome = std::string(noted.outcome)},
                     noted.deed && caller.role == Role::operator_role ? engine::AuditShelf::deeds : engine::AuditShelf::traffic);
}

}  // namespace muster::command
