// Names, capabilities, ids and times from the wire: nothing crashes, and what is accepted survives a round trip.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "base/time_text.h"
#include "base/uuid.h"
#include "model/capability.h"
#include "model/validate.h"

using namespace muster;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (const auto id = Uuid::parse(text)) {
    check(Uuid::parse(id->text()) == id, "an id survives its long form");
    check(Uuid::parse(id->hex()) == id, "an id survives its short form");
  }
  if (const auto at = parse_rfc3339(text)) check(parse_rfc3339(to_rfc3339(*at)) == at, "a time survives its text");
  if (validate_capability(text).ok()) {
    const CapabilitySet set({std::string(text), "tool:other"});
    check(CapabilitySet::from_key(set.key()) == set, "a set of capabilities survives its key");
    check(set.contains(text), "a set contains what was put into it");
  }
  (void)validate_name("queue", text).ok();
  (void)validate_text("reason", text, {.bytes_max = 64}).ok();
  (void)CapabilitySet::from_key(text).names().size();
  return 0;
}
