#include "command/door.h"

#include "command/keys.h"

namespace muster::command {

Door::Door(engine::Engine& engine, ServerFacts facts, Metrics& metrics)
    : engine_(engine), facts_(std::move(facts)), tally_(std::make_shared<Tally>(metrics)) {}

store::KeyGlance Door::glance(const Caller& caller, std::string_view key) const {
  static const std::size_t place = Tally::place_of(kKeysRead);
  if (!authorize(caller, kKeysRead).ok()) return {};
  store::KeyGlance found = engine_.keys().glance(key);
  if (found.known) tally_->count(place, Code::ok);
  return found;
}

Status Door::admit(const Caller& caller, const Spec& command) const {
  Status refused = authorize(caller, command);
  if (refused.ok()) return refused;
  tally_->count(Tally::place_of(command), refused.code());
  if (command.audited) write_audit(engine_, command, AuditEntry(caller, {}), refused.code());
  return refused;
}

}  // namespace muster::command
