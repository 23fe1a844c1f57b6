// The JSON Schemas of docs/schema, compiled once: what the payload of each frame may be. Immutable.
#pragma once

#include <array>
#include <memory>
#include <optional>

#include "base/status.h"
#include "schema/schema.h"
#include "session/frame_types.h"

namespace muster::ws {

class Schemas {
 public:
  // internal: a file of ours is no schema.
  static Result<Schemas> compile();

  // Of a frame's payload; nullptr: nothing is asked of it.
  const schema::Schema* payload(session::Protocol protocol, session::FrameKind kind) const;
  // Of a package's manifest, which is part of a registration.
  const schema::Schema& manifest() const { return *manifest_; }

 private:
  static constexpr std::size_t kKinds = static_cast<std::size_t>(session::FrameKind::unknown) + 1;
  using Table = std::array<std::array<std::optional<schema::Schema>, kKinds>, 2>;  // by protocol and kind
  std::shared_ptr<const Table> table_;                                             // shared by copies
  std::shared_ptr<const schema::Schema> manifest_;                                 // shared by copies
};

}  // namespace muster::ws
