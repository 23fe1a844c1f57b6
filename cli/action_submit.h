// Submitting an action, for `action submit` and `plan run`.
#pragma once

#include "cli/action_inputs.h"

namespace muster::cli {

class Context;

// Prints the action's id, or follows it to its end when that is wanted. Returns the exit code.
int submit_action(Context& context, const ActionArguments& arguments);

}  // namespace muster::cli
