#include "fronts/ws/extensions.h"

#include <memory>

#include "fronts/ws/core.h"
#include "fronts/ws/registration.h"

namespace muster::ws {

void offer_extension(Core& core, const ExtensionFrame& frame) {
  command::ExtensionTold told{.ns = NamespaceName(frame.worker.tenant),
                              .worker = WorkerId(frame.worker.instance),
                              .way = command::ExtensionTold::Way::from_worker,
                              .type = frame.type.substr(0, limits::kNameBytesMax),
                              .payload = {},
                              .payload_bytes = 0,
                              .at = core.now()};
  auto payload = std::make_shared<const std::string>(json::dump(frame.payload.tree()));
  told.payload_bytes = payload->size();
  told.payload = std::move(payload);
  core.door.events().publish(std::move(told));
  if (core.options.extension_hook) core.options.extension_hook->received(frame);
}

}  // namespace muster::ws
