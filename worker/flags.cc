// The flags of `muster worker`, and the names of the environment that the original worker reads.
#include <CLI/CLI.hpp>

#include "base/log.h"
#include "worker/settings.h"

namespace muster::worker {
namespace {

void describe_server(CLI::App& app, Flags& flags) {
  const char* group = "Server";
  const std::map<std::string, Via> wires{{"resp", Via::resp}, {"ws", Via::ws}};
  app.add_option(
         "--via", flags.via,
         "wire: resp (plans out of a queue) or ws (each tool a node that tasks are pushed to); default: as --connect says")
      ->transform(CLI::CheckedTransformer(wires).description(""))
      ->type_name("WIRE")
      ->group(group);
  app.add_option("--connect,-a", flags.connect,
                 "HOST:PORT, unix:/path or resps://HOST:PORT (RESP), ws://HOST:PORT/ws/worker or wss://… (WebSocket); default: "
                 "127.0.0.1:6380 or ws://127.0.0.1:8080/ws/worker")
      ->envname("AGQ_ADDRESS")
      ->type_name("ADDRESS")
      ->group(group);
  app.add_option("--protocol", flags.protocol, "ws: AstraFlow's protocol, 1 or 2")
      ->type_name("N")
      ->capture_default_str()
      ->group(group);
  app.add_option("--tenant", flags.tenant, "ws: the namespace to work for")
      ->type_name("NAME")
      ->capture_default_str()
      ->group(group);
  app.add_flag("--mtls", flags.mtls, "ws: show the certificate of --tls-cert instead of a token")->group(group);
  app.add_option("--key,-k", flags.key, "session key; others on the machine can see it, prefer --key-file")
      ->type_name("HEX")
      ->group(group);
  app.add_option("--key-file", flags.key_file, "file whose first word is the session key")->type_name("FILE")->group(group);
  app.add_option("--data-dir", flags.data_dir, "data folder: its session.key is the default key, results are spooled below it")
      ->type_name("DIR")
      ->group(group);
  app.add_flag("--tls", flags.tls, "speak TLS; --ca names the authority")->group(group);
  app.add_option("--tls-cert", flags.tls_cert, "certificate to show to the server, PEM")
      ->type_name("FILE")
      ->check(CLI::ExistingFile)
      ->group(group);
  app.add_option("--tls-key", flags.tls_key, "its private key, PEM")->type_name("FILE")->check(CLI::ExistingFile)->group(group);
}

void describe_identity(CLI::App& app, Flags& flags) {
  const char* group = "Worker";
  app.add_option("--id,-w", flags.id, "worker id; default: the spool's, which is made once")
      ->envname("WORKER_ID")
      ->type_name("ID")
      ->group(group);
  app.add_option("--name", flags.name, "a name for people")->envname("AGW_WORKER_NAME")->type_name("NAME")->group(group);
  app.add_option("--tools", flags.tools,
                 "tools to announce, comma-separated; nothing else is run. One that can start programs or write files is "
                 "announced only by name")
      ->envname("WORKER_TOOLS")
      ->delimiter(',')
      ->type_name("A,B")
      ->group(group);
  app.add_flag("--discover", flags.discover,
               "announce the text tools that can neither start programs nor write files, and agx-* units, found in PATH; the "
               "default without --tools")
      ->group(group);
  app.add_option("--tags", flags.tags, "labels, comma-separated")
      ->envname("WORKER_TAGS")
      ->delimiter(',')
      ->type_name("K=V")
      ->group(group);
  app.add_option("--queue", flags.queues, "queues to take jobs from, the first one first")
      ->delimiter(',')
      ->type_name("NAME")
      ->capture_default_str()
      ->group(group);
  app.add_option("--max-concurrent", flags.max_concurrent, "jobs at a time")->type_name("N")->capture_default_str()->group(group);
  app.add_option("--heartbeat", flags.heartbeat_seconds, "seconds between heartbeats; 0: what the server asks for")
      ->envname("HEARTBEAT_INTERVAL")
      ->type_name("S")
      ->group(group);
  app.add_option("--shutdown-timeout", flags.shutdown_seconds, "seconds that running jobs may take after SIGTERM")
      ->envname("SHUTDOWN_TIMEOUT")
      ->type_name("S")
      ->capture_default_str()
      ->group(group);
  app.add_flag("--once", flags.once, "end when the queue stays empty")->group(group);
  app.add_option("--spool", flags.spool, "folder for results until the server has them; one worker each")
      ->type_name("DIR")
      ->group(group);
}

void describe_limits(CLI::App& app, Flags& flags) {
  const char* group = "Tasks";
  const auto bytes = CLI::AsSizeValue(false);
  app.add_option("--allow", flags.allow, "paths that arguments may name in any form, comma-separated prefixes; default: any")
      ->delimiter(',')
      ->type_name("PATH")
      ->group(group);
  app.add_option("--output-cap", flags.output_cap, "of each output, kept in memory and reported")
      ->transform(bytes)
      ->type_name("BYTES")
      ->group(group);
  app.add_option("--spill-cap", flags.spill_cap, "of each output, kept on disk for later tasks; 0: no cap")
      ->transform(bytes)
      ->type_name("BYTES")
      ->group(group);
  app.add_option("--memory", flags.limits.memory_bytes, "address space of a tool")
      ->transform(bytes)
      ->type_name("BYTES")
      ->group(group);
  app.add_option("--cpu", flags.limits.cpu_seconds, "processor time of a tool")->type_name("S")->group(group);
  app.add_option("--file-size", flags.limits.file_bytes, "largest file a tool may write")
      ->transform(bytes)
      ->type_name("BYTES")
      ->group(group);
  app.add_option("--open-files", flags.limits.open_files, "descriptors of a tool")->type_name("N")->group(group);
  const std::map<std::string, SandboxMode> modes{
      {"off", SandboxMode::off}, {"auto", SandboxMode::automatic}, {"require", SandboxMode::require}};
  app.add_option("--sandbox", flags.sandbox,
                 "own namespaces for each tool, and Landlock: off, auto (default: where permitted) or require")
      ->transform(CLI::CheckedTransformer(modes).description(""))
      ->type_name("MODE")
      ->group(group);
  app.add_option("--temp-dir", flags.temp_dir, "where jobs get their folders")
      ->type_name("DIR")
      ->check(CLI::ExistingDirectory)
      ->group(group);
  app.add_option("--log-level", flags.log_level, "debug, info, warn or error")
      ->check([](const std::string& text) { return log::parse_level(text) ? "" : "expected debug, info, warn or error"; })
      ->type_name("LEVEL")
      ->group(group);
}

}  // namespace

void describe_flags(CLI::App& app, Flags& flags) {
  describe_server(app, flags);
  describe_identity(app, flags);
  describe_limits(app, flags);
  app.footer(
      "Example:\n  muster worker --connect 127.0.0.1:6380 --tools sort,uniq,jq --max-concurrent 4 --allow /data\n"
      "  muster worker --via ws --connect ws://127.0.0.1:8080/ws/worker --tools sort,uniq,jq\n\n"
      "The key comes from --key-file, --key, MUSTER_AUTH_SESSION_KEY, AGQ_SESSION_KEY or <data-dir>/session.key.\n"
      "SIGTERM finishes running jobs, unregisters and exits 0; a second one abandons them and exits 1.\n"
      "Exit codes: 0 ok, 1 failure, 2 usage, 3 can't reach server (--once), 5 refused.");
}

}  // namespace muster::worker
