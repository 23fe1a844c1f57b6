// From settings to the options of the parts: the one place where both are known.
#pragma once

#include <string>

#include "command/archives.h"
#include "engine/options.h"
#include "fronts/grpc/options.h"
#include "fronts/http/options.h"
#include "fronts/resp/options.h"
#include "fronts/ws/options.h"
#include "net/budget.h"
#include "server/config.h"
#include "store/postgres/store.h"
#include "store/sqlite/store.h"

namespace muster::server {

// REQUIRES: !config.on_postgres().
store::sqlite::Options sqlite_options(const Config& config);
// REQUIRES: config.on_postgres().
store::postgres::Options postgres_options(const Config& config);
// What was configured, else the machine's. A clustered store whose node has no name makes up a longer one itself.
std::string node_name(const Config& config);

engine::Options engine_options(const Config& config);
command::Archives::Options archive_options(const Config& config);
// The operator's key, the workers' keys and the tokens: the same on every wire.
std::vector<auth::Token> all_tokens(const Config& config, const std::string& operator_key);
auth::BrakeOptions brake_options(const Config& config);
net::BudgetBounds budget_bounds(const Config& config);
http::HttpOptions http_options(const Config& config, const std::string& operator_key);
http::AuthOptions auth_options(const Config& config, const std::string& operator_key);
ws::WsOptions ws_options(const Config& config, const std::string& operator_key);
// REQUIRES: config.resp() is not off.
resp::RespOptions resp_options(const Config& config, const std::string& operator_key);
rpc::GrpcOptions grpc_options(const Config& config, const std::string& operator_key);

// Makes the data folder (0700) when it is missing and makes sure that files can be written there.
Status prepare_data_dir(const Config& config);

}  // namespace muster::server
