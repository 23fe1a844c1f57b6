// Configuration and check-up as JSON.
#pragma once

#include "command/server.h"
#include "fronts/http/json/fields.h"
#include "fronts/http/json/writer.h"

namespace muster::http {

const Object<command::ConfigShown>& object_of(Of<command::ConfigShown>);
const Object<command::CheckUp>& object_of(Of<command::CheckUp>);

}  // namespace muster::http
