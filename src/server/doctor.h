// What `muster doctor` looks at on this machine. Each function looks at one thing, changes nothing that lasts, and says what
// it saw and what to do.
#pragma once

#include <string>
#include <vector>

#include "base/clock.h"
#include "server/commands.h"
#include "server/config.h"
#include "store/postgres/store.h"

namespace muster::server {

Command doctor_command(const Surroundings& surroundings);

// doctor_disk.cc
std::vector<Finding> check_data_dir(const Config& config);
// doctor_system.cc
std::vector<Finding> check_system(const Config& config, const Clock& clock);
// doctor_store.cc
std::vector<Finding> check_store(const Config& config, const Clock& clock);
// doctor_postgres.cc
std::vector<Finding> check_postgres(const Config& config);
std::vector<Finding> findings_of(std::vector<store::postgres::Finding> seen);
// doctor_network.cc
std::vector<Finding> check_ports(const Config& config);
// doctor_agents.cc
std::vector<Finding> check_agents(const Config& config);
// doctor_files.cc
std::vector<Finding> check_secret_files(const Config& config);
std::vector<Finding> check_tls(const Config& config, const Clock& clock);

inline Finding good(std::string name, std::string text) {
  return {.name = std::move(name), .grade = Grade::ok, .text = std::move(text), .remedy = ""};
}

}  // namespace muster::server
