// Every command there is. Fronts, the OpenAPI test and the documentation are checked against this list; adding a command is a
// record and a handler in its noun's file and one line here.
#pragma once

#include <span>

#include "command/spec.h"

namespace muster::command {

std::span<const Spec* const> catalogue();  // sorted by name

}  // namespace muster::command
