// Every command group, one function each: adds its sub-commands to the app and, when one is chosen, sets Context::chosen.
// Called by run() only. The context and the app outlive every closure made here.
#pragma once

#include <string>

namespace CLI {
class App;
}

namespace muster::cli {

class Context;

void add_job_commands(CLI::App& app, Context& context);
void add_job_submit(CLI::App& group, Context& context);
void add_job_changes(CLI::App& group, Context& context);  // cancel, retry
void add_job_follow(CLI::App& group, Context& context);   // watch, tail
void add_job_logs(CLI::App& group, Context& context);
void add_plan_commands(CLI::App& app, Context& context);
void add_action_commands(CLI::App& app, Context& context);
void add_workflow_commands(CLI::App& app, Context& context);
void add_workflow_start(CLI::App& group, Context& context);
void add_workflow_changes(CLI::App& group, Context& context);  // cancel, terminate, signal, retry
void add_schedule_commands(CLI::App& app, Context& context);
void add_workers_commands(CLI::App& app, Context& context);
void add_queue_commands(CLI::App& app, Context& context);
void add_namespace_commands(CLI::App& app, Context& context);
void add_why_command(CLI::App& app, Context& context);
void add_top_command(CLI::App& app, Context& context);
void add_bench_command(CLI::App& app, Context& context);
void add_server_commands(CLI::App& app, Context& context);  // server, backup
void add_cluster_commands(CLI::App& app, Context& context);
void add_completion_command(CLI::App& app, Context& context);

// The script for one shell, generated from the tree of commands.
std::string completion_script(const CLI::App& root, const std::string& shell);

}  // namespace muster::cli
