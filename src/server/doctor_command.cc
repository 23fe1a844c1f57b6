#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>

#include "server/command_flags.h"
#include "server/doctor.h"

namespace muster::server {
namespace {

std::string_view to_string(Grade grade) {
  switch (grade) {
    case Grade::ok: return "ok";
    case Grade::warn: return "warn";
    case Grade::fail: return "fail";
  }
  unreachable();
}

struct DoctorFlags {
  SettingFlags settings;
  bool offline = false;
};

std::vector<Finding> examine(const DoctorFlags& flags, const Surroundings& surroundings) {
  const LoadedConfig loaded = flags.settings.load();
  std::vector<Finding> findings;
  for (const Problem& problem : loaded.problems)
    findings.push_back({.name = "configuration",
                        .grade = Grade::fail,
                        .text = problem.text(),
                        .remedy = "correct it; `muster config check` says more"});
  if (!loaded.problems.empty()) return findings;
  findings.push_back(good("configuration", loaded.config.file.empty() ? "no file" : loaded.config.file));
  const RealClock clock;
  const auto take = [&findings](std::vector<Finding> more) { std::move(more.begin(), more.end(), std::back_inserter(findings)); };
  take(check_data_dir(loaded.config));
  take(check_system(loaded.config, clock));
  take(check_store(loaded.config, clock));
  take(check_ports(loaded.config));
  take(check_secret_files(loaded.config));
  take(check_tls(loaded.config, clock));
  take(check_agents(loaded.config));
  if (surroundings.check_worker) take(surroundings.check_worker());
  if (!flags.offline && surroundings.check_server) take(surroundings.check_server());
  return findings;
}

// Libraries break their messages into lines; a row of the table is one.
std::string one_line(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const bool blank = c == '\n' || c == '\t' || c == '\r' || c == ' ';
    if (!blank) out += c;
    if (blank && !out.empty() && out.back() != ' ') out += ' ';
  }
  return out;
}

void print_table(const std::vector<Finding>& findings) {
  std::size_t width = 0;
  for (const Finding& finding : findings) width = std::max(width, finding.name.size());
  for (const Finding& finding : findings) {
    fmt::print("{:<4}  {:<{}}  {}\n", to_string(finding.grade), finding.name, width, one_line(finding.text));
    if (!finding.remedy.empty()) fmt::print("      {:<{}}  → {}\n", "", width, finding.remedy);
  }
}

void print_json(const std::vector<Finding>& findings) {
  nlohmann::json out = nlohmann::json::array();
  for (const Finding& finding : findings) {
    nlohmann::json line = {{"name", finding.name}, {"grade", to_string(finding.grade)}, {"text", finding.text}};
    if (!finding.remedy.empty()) line["remedy"] = finding.remedy;
    out.push_back(std::move(line));
  }
  fmt::print("{}\n", out.dump(2, ' ', false, nlohmann::json::error_handler_t::replace));
}

}  // namespace

Command doctor_command(const Surroundings& surroundings) {
  auto flags = std::make_shared<DoctorFlags>();  // shared by the two closures
  return {.name = "doctor",
          .summary = "Check disk, clock, store, ports, limits and files, and say what to do",
          .describe =
              [flags](CLI::App& app) {
                flags->settings.describe(app);
                app.add_flag("--offline", flags->offline, "do not look for a running server");
                app.footer("Example:\n  muster doctor --data-dir /var/lib/muster\n\nExit code 1 when a line says fail.");
              },
          .run =
              [flags, surroundings] {
                const std::vector<Finding> findings = examine(*flags, surroundings);
                if (surroundings.wants_json())
                  print_json(findings);
                else
                  print_table(findings);
                const bool failed =
                    std::any_of(findings.begin(), findings.end(), [](const Finding& f) { return f.grade == Grade::fail; });
                return failed ? kExitFailure : kExitOk;
              }};
}

}  // namespace muster::server
