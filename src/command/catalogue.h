// Every command there is. Fronts, the OpenAPI test and the documentation are checked against this list; adding a command is one
// file pair and one line here.
#pragma once

#include <span>

#include "command/spec.h"

namespace muster::command {

std::span<const Spec* const> catalogue();  // sorted by name

}  // namespace muster::command
