// Configuration, where it differs between nodes, and check-up as JSON.
#pragma once

#include "command/server.h"
#include "fronts/http/json/fields.h"
#include "fronts/http/json/writer.h"

namespace muster::http {

const Object<command::ConfigShown>& object_of(Of<command::ConfigShown>);
const Object<command::CheckUp>& object_of(Of<command::CheckUp>);
const Object<engine::SettingDifferences>& object_of(Of<engine::SettingDifferences>);

}  // namespace muster::http
