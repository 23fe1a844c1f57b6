#include "server/store_command.h"

#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/clock.h"
#include "server/copy_progress.h"
#include "server/running.h"
#include "store/postgres/transfer.h"
#include "store/sqlite/transfer.h"
#include "store/transfer/copy.h"

namespace muster::server {
namespace {

namespace transfer = store::transfer;

constexpr std::string_view kSqlite = "sqlite:";

struct CopyFlags {
  CLI::App* copy = nullptr;
  std::string from;
  std::string to;
  std::string schema = "muster";
  std::size_t batch = transfer::kCopyBatchDefault;
  bool force = false;
};

// One side, as --from and --to name it.
struct Place {
  std::string path;  // SQLite; empty: PostgreSQL
  std::string url;

  bool on_postgres() const { return path.empty(); }
  friend bool operator==(const Place&, const Place&) = default;
};

std::optional<Place> place_of(const std::string& text) {
  if (text.starts_with(kSqlite) && text.size() > kSqlite.size()) return Place{.path = text.substr(kSqlite.size())};
  if (text.starts_with("postgres://") || text.starts_with("postgresql://")) return Place{.url = text};
  return std::nullopt;
}

std::string shown(const Place& place) {
  return place.on_postgres() ? store::postgres::without_secrets(place.url) : fmt::format("{}{}", kSqlite, place.path);
}

int misused(const std::string& text) {
  say(stderr, fmt::format("muster: {}\n", text));
  return kExitUsage;
}

store::postgres::TransferOptions database_of(const Place& place, const CopyFlags& flags) {
  return {.url = place.url, .schema = flags.schema, .force = flags.force};
}

Result<std::unique_ptr<transfer::Source>> open_source(const Place& place, const CopyFlags& flags) {
  return place.on_postgres() ? store::postgres::open_transfer_source(database_of(place, flags))
                             : store::sqlite::open_transfer_source(place.path);
}

Result<std::unique_ptr<transfer::Sink>> open_sink(const Place& place, const CopyFlags& flags) {
  return place.on_postgres() ? store::postgres::open_transfer_sink(database_of(place, flags))
                             : store::sqlite::open_transfer_sink(place.path);
}

Result<transfer::Report> copy(const Place& from, const Place& to, const CopyFlags& flags) {
  auto source = open_source(from, flags);
  if (!source.ok()) return source.status();
  auto sink = open_sink(to, flags);
  if (!sink.ok()) return sink.status();
  const RealClock clock;
  CopyProgress progress(clock, ::isatty(STDERR_FILENO) == 1);
  return transfer::copy(**source, **sink, flags.batch, [&progress](const transfer::Step& step) {
    if (const std::string text = progress.text_for(step); !text.empty()) say(stderr, text);
  });
}

std::string checksum(const transfer::Digest& digest, transfer::Kind kind) {
  return fmt::format("{:016x}", digest.checksum(kind));
}

void print_table(const transfer::Report& report) {
  std::string out =
      fmt::format("{:<17}  {:>10}  {:>10}  {:<16}  {:<16}  {}\n", "KIND", "SOURCE", "TARGET", "CHECKSUM", "OF TARGET", "");
  const auto line = [&out](std::string_view name, std::uint64_t source, std::uint64_t target, const std::string& a,
                           const std::string& b, bool same) {
    out += fmt::format("{:<17}  {:>10}  {:>10}  {:<16}  {:<16}  {}\n", name, source, target, a, b, same ? "same" : "DIFFERS");
  };
  for (const transfer::Kind kind : transfer::kKinds)
    line(to_string(kind), report.source.records(kind), report.target.records(kind), checksum(report.source, kind),
         checksum(report.target, kind), report.source.same(report.target, kind));
  for (const JobState state : kJobStates)
    if (report.source.jobs(state) + report.target.jobs(state) > 0)
      line(fmt::format("  {}", to_string(state)), report.source.jobs(state), report.target.jobs(state), "", "",
           report.source.jobs(state) == report.target.jobs(state));
  say(stdout, out);
}

void print_json(const Place& from, const Place& to, const transfer::Report& report) {
  nlohmann::ordered_json kinds = nlohmann::ordered_json::array();
  for (const transfer::Kind kind : transfer::kKinds)
    kinds.push_back({{"kind", to_string(kind)},
                     {"source", {{"records", report.source.records(kind)}, {"checksum", checksum(report.source, kind)}}},
                     {"target", {{"records", report.target.records(kind)}, {"checksum", checksum(report.target, kind)}}},
                     {"same", report.source.same(report.target, kind)}});
  nlohmann::ordered_json by_state;
  for (const JobState state : kJobStates)
    by_state[std::string(to_string(state))] = {{"source", report.source.jobs(state)}, {"target", report.target.jobs(state)}};
  const nlohmann::ordered_json out = {{"from", shown(from)},       {"to", shown(to)},
                                      {"resumed", report.resumed}, {"copied", report.moved},
                                      {"same", report.same()},     {"finished", report.finished},
                                      {"kinds", std::move(kinds)}, {"jobs", std::move(by_state)}};
  say(stdout, out.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n");
}

int verdict(const transfer::Report& report, const Place& to) {
  if (report.same() && report.finished) {
    say(stderr, fmt::format("muster: {} holds the same; serve it with --store\n", shown(to)));
    return kExitOk;
  }
  if (report.finished)
    say(stderr, fmt::format("muster: {} was copied before and differs by now: it was used since\n", shown(to)));
  else
    say(stderr,
        fmt::format("muster: {} differs from its source and cannot be served; was the source used meanwhile? remove the target "
                    "and copy again\n",
                    shown(to)));
  return kExitFailure;
}

int run_copy(const CopyFlags& flags, const Surroundings& surroundings) {
  const auto from = place_of(flags.from);
  const auto to = place_of(flags.to);
  // The text itself is not repeated: a URL that cannot be read may hold a password.
  if (!from) return misused("--from cannot be read; write sqlite:PATH or postgres://…");
  if (!to) return misused("--to cannot be read; write sqlite:PATH or postgres://…");
  if (*from == *to) return misused("--from and --to name the same store");
  const auto report = copy(*from, *to, flags);
  if (!report.ok()) {
    report_start_failure(report.status());
    return kExitFailure;
  }
  surroundings.wants_json() ? print_json(*from, *to, *report) : print_table(*report);
  return verdict(*report, *to);
}

void describe_copy(CLI::App& app, CopyFlags& flags) {
  flags.copy = app.add_subcommand("copy", "Copy everything from one store into an empty one, and compare")->fallthrough();
  flags.copy->add_option("--from", flags.from, "the store to read: sqlite:PATH or postgres://…; no server may work on it")
      ->type_name("STORE")
      ->required();
  flags.copy->add_option("--to", flags.to, "the store to fill: an empty one, or one that this copy began to fill")
      ->type_name("STORE")
      ->required();
  flags.copy->add_option("--schema", flags.schema, "schema of the PostgreSQL side")->type_name("NAME")->capture_default_str();
  flags.copy->add_option("--batch", flags.batch, "records in one transaction")
      ->type_name("N")
      ->check(CLI::Range(transfer::kCopyBatchMin, transfer::kCopyBatchMax).description(""))
      ->capture_default_str();
  flags.copy->add_flag("--force", flags.force, "read PostgreSQL although nodes work on it: the copy is of the moment it begins");
  flags.copy->footer(
      "Job ids, running work, schedules and history arrive as they were. A copy that was interrupted goes on when the\n"
      "same command is given again. Keep passwords in PGPASSFILE: others on the machine can see a command line.\n\n"
      "Example:\n  muster store copy --from sqlite:/var/lib/muster/muster.db --to postgres://muster@db/muster\n"
      "  muster store copy --from postgres://muster@db/muster --to sqlite:/var/lib/muster/muster.db\n\n"
      "Exit code 1 when it could not be copied or the two differ.");
}

}  // namespace

Command store_command(const Surroundings& surroundings) {
  auto flags = std::make_shared<CopyFlags>();  // shared by the two closures
  return {.name = "store",
          .summary = "Move everything between SQLite and PostgreSQL",
          .describe =
              [flags](CLI::App& app) {
                describe_copy(app, *flags);
                app.require_subcommand(1);
              },
          .run = [flags, surroundings] { return run_copy(*flags, surroundings); }};
}

}  // namespace muster::server
