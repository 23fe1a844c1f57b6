#include "server/commands.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "server/config_command.h"
#include "server/doctor.h"
#include "server/migrate_command.h"
#include "server/serve_command.h"
#include "server/store_command.h"
#include "server/version.h"

namespace muster::server {
namespace {

Command version_command(const Surroundings& surroundings) {
  return {.name = "version",
          .summary = "Print the version",
          .describe = [](CLI::App&) {},
          .run =
              [surroundings] {
                if (surroundings.wants_json())
                  fmt::print("{{\"version\":\"{}\",\"fronts\":[\"http\"],\"stores\":[\"sqlite\",\"postgres\"]}}\n", kVersion);
                else
                  fmt::print("muster {}\n", kVersion);
                return kExitOk;
              }};
}

}  // namespace

std::vector<Command> commands(Surroundings surroundings) {
  std::vector<Command> all;
  all.push_back(serve_command());
  all.push_back(dev_command(surroundings));
  all.push_back(config_command(surroundings));
  all.push_back(migrate_command(surroundings));
  all.push_back(store_command(surroundings));
  all.push_back(doctor_command(surroundings));
  all.push_back(version_command(surroundings));
  return all;
}

}  // namespace muster::server
