#include "server/config_command.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>

#include "server/command_flags.h"
#include "store/postgres/store.h"

namespace muster::server {
namespace {

struct ConfigFlags {
  SettingFlags settings;
  CLI::App* check = nullptr;
  CLI::App* show = nullptr;
  std::string file;
};

std::string toml_value(const ConfigEntry& entry) {
  const std::string text = shown_setting(entry);
  switch (entry.setting->type) {
    case SettingType::boolean:
    case SettingType::count: return text;
    case SettingType::list: {
      std::string out = "[";
      std::string_view rest = text;
      while (!rest.empty()) {
        const std::size_t end = std::min(rest.find(','), rest.size());
        out += (out.size() > 1 ? ", " : "") + nlohmann::json(rest.substr(0, end)).dump();
        rest.remove_prefix(std::min(end + 1, rest.size()));
      }
      return out + "]";
    }
    case SettingType::text:
    case SettingType::path:
    case SettingType::bytes:
    case SettingType::duration:
    case SettingType::choice:
    case SettingType::listen:
    case SettingType::listeners:
    case SettingType::database:
    case SettingType::hex_key: break;
  }
  // TOML's basic strings escape as JSON's do.
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

nlohmann::json namespaces_of(const Credential& credential) {
  if (!credential.namespaces) return "*";
  nlohmann::json names = nlohmann::json::array();
  for (const NamespaceName& name : *credential.namespaces) names.push_back(name.text());
  return names;
}

// A fingerprint is no secret.
std::string shown_secret(const Credential& credential) {
  if (!credential.certificate.empty()) return fmt::format("certificate_sha256 = \"{}\"", credential.certificate);
  return fmt::format("token = \"{}\"", kRedacted);
}

int run_config(const ConfigFlags& flags, const Surroundings& surroundings) {
  LoadRequest request = flags.settings.request();
  if (!flags.file.empty()) request.file = flags.file;
  const LoadedConfig loaded = load_config(request);
  if (const int code = report(loaded.problems); code != kExitOk) return code;
  if (flags.show->parsed())
    fmt::print("{}", surroundings.wants_json() ? show_json(loaded.config) : show_toml(loaded.config));
  else
    fmt::print(stderr, "muster: the configuration is good{}\n", request.file.empty() ? "" : ": " + request.file);
  return kExitOk;
}

}  // namespace

std::string without_user(std::string text) {
  const std::size_t scheme = text.find("://");
  const std::size_t begin = scheme == std::string::npos ? 0 : scheme + 3;
  const std::size_t at = text.substr(0, text.find_first_of("/?#", begin)).rfind('@');
  return at == std::string::npos || at < begin ? text : text.replace(begin, at - begin, kRedacted);
}

std::string shown_setting(const ConfigEntry& entry) {
  const std::string text = format_setting(*entry.setting, entry.value);
  if (entry.setting->secret && !text.empty()) return std::string(kRedacted);
  if (entry.setting->type == SettingType::database && is_postgres_url(text)) return store::postgres::without_secrets(text);
  // Paths and lists may hold an @ that says nothing of a user.
  return entry.setting->type == SettingType::text || text.find("://") != std::string::npos ? without_user(text) : text;
}

std::string show_toml(const Config& config) {
  std::string out;
  std::string_view section;
  for (const ConfigEntry& entry : config.entries) {
    if (entry.setting->section != section) {
      section = entry.setting->section;
      out += fmt::format("{}[{}]\n", out.empty() ? "" : "\n", section);
    }
    out += fmt::format("{} = {}  # {}\n", entry.setting->key, toml_value(entry), entry.source);
  }
  std::map<std::string, std::string> namespaces;
  for (const NamespaceEntry& own : config.namespace_entries) {
    std::string& fields = namespaces[own.ns];
    fields += fmt::format("{}{} = {}", fields.empty() ? "" : ", ", own.entry.setting->key, toml_value(own.entry));
  }
  if (!namespaces.empty()) out += "\n[load.namespaces]\n";
  for (const auto& [name, fields] : namespaces) out += fmt::format("{} = {{ {} }}\n", nlohmann::json(name).dump(), fields);
  std::string tokens;
  std::string workers;
  for (const Credential& credential : config.credentials) {
    const std::string name = nlohmann::json(credential.name).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
    // A key of [workers] names its worker; a token of [auth.tokens] has a name of its own.
    if (credential.certificate.empty() && credential.role == command::Role::worker && credential.worker == credential.name)
      workers += fmt::format("{} = \"{}\"  # {}\n", name, kRedacted, credential.source);
    else
      tokens += fmt::format("{} = {{ role = \"{}\", namespaces = {}, {} }}  # {}\n", name, command::to_string(credential.role),
                            namespaces_of(credential).dump(), shown_secret(credential), credential.source);
  }
  if (!tokens.empty()) out += "\n[auth.tokens]\n" + tokens;
  if (!workers.empty()) out += "\n[workers]\n" + workers;
  return out;
}

std::string show_json(const Config& config) {
  nlohmann::json out = {
      {"settings", nlohmann::json::array()}, {"namespaces", nlohmann::json::array()}, {"credentials", nlohmann::json::array()}};
  for (const ConfigEntry& entry : config.entries)
    out["settings"].push_back({{"section", entry.setting->section},
                               {"key", entry.setting->key},
                               {"value", shown_setting(entry)},
                               {"source", entry.source},
                               {"environment", environment_name(*entry.setting)},
                               {"reloadable", entry.setting->reloadable},
                               {"help", entry.setting->help}});
  for (const NamespaceEntry& own : config.namespace_entries)
    out["namespaces"].push_back({{"namespace", own.ns},
                                 {"section", own.entry.setting->section},
                                 {"key", own.entry.setting->key},
                                 {"value", shown_setting(own.entry)},
                                 {"source", own.entry.source}});
  for (const Credential& credential : config.credentials)
    out["credentials"].push_back({{"name", credential.name},
                                  {"role", command::to_string(credential.role)},
                                  {"worker", credential.worker},
                                  {"namespaces", namespaces_of(credential)},
                                  {"source", credential.source}});
  return out.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

Command config_command(const Surroundings& surroundings) {
  auto flags = std::make_shared<ConfigFlags>();  // shared by the two closures
  return {.name = "config",
          .summary = "Check or show the server's configuration",
          .describe =
              [flags](CLI::App& app) {
                flags->settings.describe(app);
                flags->check = app.add_subcommand("check", "Report every problem with its place");
                flags->show =
                    app.add_subcommand("show", "Print the effective values and where each comes from; secrets redacted");
                for (CLI::App* sub : {flags->check, flags->show}) {
                  sub->add_option("file", flags->file, "configuration file, as --config");
                  sub->fallthrough();
                }
                app.require_subcommand(1);
                app.footer("Example:\n  muster config check /etc/muster/muster.toml\n  muster config show --output json");
              },
          .run = [flags, surroundings] { return run_config(*flags, surroundings); }};
}

}  // namespace muster::server
