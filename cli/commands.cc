#include "cli/commands.h"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <charconv>

#include "cli/context.h"
#include "cli/format.h"

namespace muster::cli {
namespace {

[[noreturn]] void refuse(const std::string& name, const std::string& value, std::string_view shape) {
  // CLI11's own channel for a bad value; run() turns it into exit code 2.
  throw CLI::ValidationError(name, fmt::format("`{}` is not {}", value, shape));
}

template <class Number>
std::optional<Number> parse_number(std::string_view text) {
  Number number{};
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (problem != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

// `read` takes the value, or says that it is not of the shape.
using ReadValue = std::function<bool(const std::string&)>;

CLI::Option* add_shaped(CLI::App& app, const Described& option, const char* type, std::string_view shape, ReadValue read) {
  return app
      .add_option_function<std::string>(
          option.name,
          [name = option.name, shape, read = std::move(read)](const std::string& value) {
            if (!read(value)) refuse(name, value, shape);
          },
          option.help)
      ->type_name(type);
}

CLI::Option* add_repeated(CLI::App& app, const Described& option, const std::string& form, ReadValue read) {
  return app
      .add_option_function<std::vector<std::string>>(
          option.name,
          [name = option.name, form, read = std::move(read)](const std::vector<std::string>& values) {
            for (const std::string& value : values)
              if (!read(value)) refuse(name, value, "of the form " + form);
          },
          option.help)
      ->type_name(form)
      ->allow_extra_args(false);
}

CLI::App& add_described(CLI::App& parent, const CommandText& text) {
  CLI::App& command = *parent.add_subcommand(text.name, text.summary);
  command.footer(
      fmt::format("\nExample:\n  {}\n\nEvery command also takes --server, --token-file, --namespace, --output, --ca and "
                  "--no-color; see muster --help.",
                  text.example));
  return command;
}

}  // namespace

CLI::Option* add_duration(CLI::App& app, const Described& option, std::optional<sdk::Duration>& out) {
  return add_shaped(app, option, "DURATION", kDurationShape, [&out](const std::string& value) {
    out = parse_duration(value);
    return out.has_value();
  });
}

CLI::Option* add_instant(CLI::App& app, const Described& option, std::optional<sdk::Instant>& out) {
  return add_shaped(app, option, "TIME", "a time such as 2026-11-15T09:00:00Z", [&out](const std::string& value) {
    out = sdk::parse_instant(value);
    return out.has_value();
  });
}

CLI::Option* add_rate(CLI::App& app, const Described& option, std::optional<sdk::Rate>& out) {
  return add_shaped(app, option, "COUNT/TIME", "a rate such as 100/s, 30/1m or off", [&out](const std::string& value) {
    out = parse_rate(value);
    return out.has_value();
  });
}

CLI::Option* add_pairs(CLI::App& app, const Described& option, sdk::Labels& out) {
  return add_repeated(app, option, "KEY=VALUE", [&out](const std::string& value) {
    const auto pair = parse_pair(value);
    if (pair) out[pair->first] = pair->second;
    return pair.has_value();
  });
}

CLI::Option* add_limits_by_type(CLI::App& app, const Described& option, std::map<std::string, std::uint32_t>& out) {
  return add_repeated(app, option, "TYPE=N", [&out](const std::string& value) {
    const auto pair = parse_pair(value);
    const auto limit = pair ? parse_number<std::uint32_t>(pair->second) : std::nullopt;
    if (limit) out[pair->first] = *limit;
    return limit.has_value();
  });
}

std::optional<sdk::Rate> parse_rate(std::string_view text) {
  if (text == "off") return sdk::Rate{.count = 0, .per = sdk::Duration(1'000), .burst = 1};
  const auto slash = text.find('/');
  if (slash == std::string_view::npos) return std::nullopt;
  const auto count = parse_number<double>(text.substr(0, slash));
  std::string per(text.substr(slash + 1));
  // `100/s` means per one second.
  if (!per.empty() && (per[0] < '0' || per[0] > '9')) per.insert(0, "1");
  const auto duration = parse_duration(per);
  if (!count || *count <= 0 || !duration || duration->count() <= 0) return std::nullopt;
  return sdk::Rate{.count = *count, .per = *duration, .burst = 1};
}

CLI::App& add_command(CLI::App& parent, Context& context, const CommandText& text, std::function<int()> run) {
  CLI::App& command = add_described(parent, text);
  command.callback([&context, run = std::move(run)] { context.chosen = run; });
  return command;
}

void add_command_about(CLI::App& parent, Context& context, const CommandText& text, const std::string& help,
                       int (*run)(Context&, const std::string& id)) {
  auto [command, id] = add_command(parent, context, text, run);
  command.add_option("id", id, help)->required();
}

CLI::App& add_group(CLI::App& parent, const CommandText& text) {
  CLI::App& group = add_described(parent, text);
  group.require_subcommand(1);
  return group;
}

void add_job_filter(CLI::App& app, sdk::JobFilter& filter) {
  app.add_option("--queue", filter.queue, "only this queue");
  app.add_option("--type", filter.type, "only this type");
  app.add_option("--state", filter.states, "only these states (repeatable, or a comma list)")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->check(CLI::IsMember({"scheduled", "ready", "running", "completed", "dead", "cancelled"}));
  app.add_option("--worker", filter.worker, "only jobs held, or held last, by this worker");
  add_pairs(app, {.name = "--label", .help = "only jobs with this label (repeatable)"}, filter.labels);
  add_instant(app, {.name = "--created-after", .help = "only jobs accepted after this time"}, filter.created_after);
  add_instant(app, {.name = "--created-before", .help = "only jobs accepted before this time"}, filter.created_before);
  app.add_option("--error-kind", filter.error_kind, "only jobs whose last error is of this kind");
}

void add_paging(CLI::App& app, const std::string& what, Paging paging) {
  app.add_option("--limit", paging.limit, what + " a page")->check(CLI::Range(1U, kPageMax));
  app.add_option("--cursor", paging.cursor, "go on after an earlier page");
  app.add_flag("--all", paging.all, "every page");
}

}  // namespace muster::cli
