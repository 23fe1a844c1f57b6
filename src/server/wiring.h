// From settings to the options of the parts: the one place where both are known.
#pragma once

#include <string>

#include "engine/options.h"
#include "fronts/http/options.h"
#include "server/config.h"
#include "store/sqlite/store.h"

namespace muster::server {

store::sqlite::Options store_options(const Config& config);
engine::Options engine_options(const Config& config);
// REQUIRES: config.http() is not off.
http::HttpOptions http_options(const Config& config, const std::string& operator_key);
http::AuthOptions auth_options(const Config& config, const std::string& operator_key);

// Makes the data folder (0700) when it is missing and makes sure that files can be written there.
Status prepare_data_dir(const Config& config);

}  // namespace muster::server
