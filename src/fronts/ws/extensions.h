// Extension frames (`ext.vendor.*`) of workers: nobody's here, handed on to whoever wants them.
#pragma once

#include <string>

#include "model/ids.h"
#include "session/payload.h"

namespace muster::ws {

struct Core;
struct Identity;

struct ExtensionFrame {
  const Identity& worker;
  const std::string& type;
  const session::Payload& payload;  // an object
};

// Offered every extension frame, on the loop's thread, before it is acknowledged. It must neither block nor throw.
class ExtensionHook {
 public:
  virtual ~ExtensionHook() = default;
  virtual void received(const ExtensionFrame& frame) = 0;
};

// Told as an event of the server, and to the hook of the options if there is one.
void offer_extension(Core& core, const ExtensionFrame& frame);

}  // namespace muster::ws
