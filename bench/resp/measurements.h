// The parts of the RESP suite.
#pragma once

#include <vector>

#include "bench/resp/servers.h"
#include "bench/row.h"

namespace muster::bench::resp {

std::vector<Measurement> life_measurements();   // life.cc
std::vector<Measurement> calls_measurements();  // calls.cc
std::vector<Measurement> plain_measurements();  // plain.cc
std::vector<Measurement> idle_measurements();   // idle.cc

// One request and its whole reply on a blocking socket; empty when the connection broke.
std::string ask(int socket, const std::vector<std::string_view>& words);
// A new connection that has said AUTH, or -1.
int connect_as_operator(const Process& server);
// The plan that the action rows run: one task.
void submit_plan(const Process& server);
// As many open files as the system lets us have, for the servers we start too.
void raise_file_limit();

}  // namespace muster::bench::resp
