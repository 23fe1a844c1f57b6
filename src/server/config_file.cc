#include "server/config_file.h"

#include <fmt/format.h>

#include <toml++/toml.h>
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <sstream>

#include "base/ascii.h"
#include "fronts/auth/authenticator.h"
#include "model/limits.h"
#include "model/validate.h"

namespace muster::server {
namespace {

constexpr std::size_t kFileBytesMax = 1024 * 1024;
constexpr std::size_t kTokenBytesMin = 16;
constexpr std::size_t kTokenBytesMax = 512;

class FileReader {
 public:
  explicit FileReader(const std::string& path) : path_(path) {}

  ConfigFile read() {
    std::string text;
    if (!slurp(text)) return std::move(out_);
    try {
      read_root(toml::parse(text, path_));
    } catch (const toml::parse_error& error) {
      problem(error.source().begin, std::string(error.description()));
    }
    return std::move(out_);
  }

 private:
  bool slurp(std::string& text) {
    std::ifstream in(path_, std::ios::binary);
    std::ostringstream content;
    if (in) content << in.rdbuf();
    // A folder opens and then fails to be read.
    if (!in || in.bad()) {
      out_.problems.push_back({.where = path_, .message = fmt::format("cannot read the file: {}", std::strerror(errno))});
      return false;
    }
    text = content.str();
    if (text.size() > kFileBytesMax) {
      out_.problems.push_back(
          {.where = path_, .message = fmt::format("{} bytes is too large: at most {}", text.size(), kFileBytesMax)});
      return false;
    }
    return true;
  }

  std::string where(const toml::source_position& at) const { return fmt::format("{}:{}:{}", path_, at.line, at.column); }

  void problem(const toml::source_position& at, std::string message) {
    out_.problems.push_back({.where = where(at), .message = std::move(message)});
  }

  void unknown(const toml::key& key, std::string_view what, std::span<const std::string_view> candidates) {
    const std::string_view near = closest(key.str(), candidates);
    std::string message = fmt::format("unknown {} \"{}\"", what, key.str());
    if (near.empty())
      message += fmt::format(": accepted are {}", fmt::join(candidates, ", "));
    else
      message += fmt::format(": did you mean \"{}\"?", near);
    problem(key.source().begin, std::move(message));
  }

  void read_root(const toml::table& root) {
    const auto sections = section_names();
    for (const auto& [key, node] : root) {
      if (std::find(sections.begin(), sections.end(), key.str()) == sections.end()) {
        unknown(key, "section", sections);
      } else if (!node.is_table()) {
        problem(key.source().begin, fmt::format("\"{}\" is a section: write [{}]", key.str(), key.str()));
      } else if (key.str() == "workers") {
        read_workers(*node.as_table());
      } else {
        read_section(key.str(), *node.as_table());
      }
    }
  }

  void read_section(std::string_view section, const toml::table& table) {
    std::vector<std::string_view> keys;
    for (const Setting& setting : settings())
      if (setting.section == section) keys.push_back(setting.key);
    for (const auto& [key, node] : table) {
      if (section == "auth" && key.str() == "tokens") {
        if (node.is_table())
          read_tokens(*node.as_table());
        else
          problem(key.source().begin, "auth.tokens is a table of names: write [auth.tokens]");
        continue;
      }
      if (section == "load" && key.str() == "namespaces") {
        if (node.is_table())
          read_namespace_values(keys, *node.as_table());
        else
          problem(key.source().begin, "load.namespaces is a table of names: write [load.namespaces]");
        continue;
      }
      const Setting* setting = find_setting(section, key.str());
      if (setting == nullptr)
        unknown(key, fmt::format("key in [{}]", section), keys);
      else
        read_value(*setting, node);
    }
  }

  // acme = { mem_pct = 80 }
  void read_namespace_values(const std::vector<std::string_view>& keys, const toml::table& table) {
    for (const auto& [key, node] : table) {
      const std::string ns(key.str());
      const toml::table* fields = node.as_table();
      if (!validate_name("namespace", ns).ok() || fields == nullptr) {
        problem(key.source().begin,
                fmt::format("load.namespaces.{}: give a name of a namespace and a table like {{ mem_pct = 80 }}", ns));
        continue;
      }
      for (const auto& [name, value] : *fields) {
        const Setting* setting = find_setting("load", name.str());
        if (setting == nullptr)
          unknown(name, fmt::format("key in load.namespaces.{}", ns), keys);
        else
          read_value(*setting, value, ns);
      }
    }
  }

  // In a namespace of its own, if one is named.
  void read_value(const Setting& setting, const toml::node& node, std::string_view ns = {}) {
    std::string text;
    bool fits = false;
    switch (setting.type) {
      case SettingType::boolean:
        if (const auto value = node.value_exact<bool>()) text = *value ? "true" : "false";
        fits = node.is_boolean();
        break;
      case SettingType::count:
        if (const auto value = node.value_exact<std::int64_t>()) text = fmt::format("{}", *value);
        fits = node.is_integer();
        break;
      case SettingType::bytes:
        if (const auto value = node.value_exact<std::int64_t>()) text = fmt::format("{}", *value);
        if (const auto value = node.value_exact<std::string>()) text = *value;
        fits = node.is_integer() || node.is_string();
        break;
      case SettingType::list: fits = join_list(node, text); break;
      case SettingType::listeners:
        if (const auto value = node.value_exact<std::string>()) text = *value;
        fits = node.is_string() || join_list(node, text);
        break;
      case SettingType::text:
      case SettingType::path:
      case SettingType::duration:
      case SettingType::choice:
      case SettingType::listen:
      case SettingType::database:
      case SettingType::hex_key:
        if (const auto value = node.value_exact<std::string>()) text = *value;
        fits = node.is_string();
        break;
    }
    if (!fits) {
      problem(node.source().begin, fmt::format("{}: {} is not accepted: give {}", full_name(setting), type_name(node.type()),
                                               accepted_type(setting.type)));
      return;
    }
    (ns.empty() ? out_.values : out_.namespace_values)
        .push_back({.setting = &setting, .text = std::move(text), .where = where(node.source().begin), .ns = std::string(ns)});
  }

  static bool join_list(const toml::node& node, std::string& text) {
    const toml::array* array = node.as_array();
    if (array == nullptr) return false;
    for (const toml::node& element : *array) {
      const auto value = element.value_exact<std::string>();
      if (!value || value->find(',') != std::string::npos) return false;
      text += (text.empty() ? "" : ",") + *value;
    }
    return true;
  }

  static std::string_view accepted_type(SettingType type) {
    switch (type) {
      case SettingType::boolean: return "true or false";
      case SettingType::count: return "an integer";
      case SettingType::bytes: return "an integer, or text like \"8MiB\"";
      case SettingType::duration: return "text like \"30s\"";
      case SettingType::list: return "an array of texts without commas";
      case SettingType::listeners: return "text in quotes, or an array of such";
      case SettingType::text:
      case SettingType::path:
      case SettingType::choice:
      case SettingType::listen:
      case SettingType::database:
      case SettingType::hex_key: return "text in quotes";
    }
    return "text in quotes";
  }

  static std::string_view type_name(toml::node_type type) {
    switch (type) {
      case toml::node_type::table: return "a table";
      case toml::node_type::array: return "an array";
      case toml::node_type::string: return "text";
      case toml::node_type::integer: return "an integer";
      case toml::node_type::floating_point: return "a fraction";
      case toml::node_type::boolean: return "a boolean";
      case toml::node_type::none:
      case toml::node_type::date:
      case toml::node_type::time:
      case toml::node_type::date_time: break;
    }
    return "a date or time";
  }

  // "worker-001" = "<64 hex digits>"
  void read_workers(const toml::table& table) {
    constexpr Setting kKey{.section = "workers", .key = "key", .type = SettingType::hex_key, .secret = true};
    for (const auto& [key, node] : table) {
      const auto text = node.value_exact<std::string>();
      const std::string id(key.str());
      if (id.empty() || id.size() > limits::kNameBytesMax) {
        problem(key.source().begin, fmt::format("worker name of {} bytes: give 1 to {}", id.size(), limits::kNameBytesMax));
      } else if (!text || text->empty() || !parse_setting(kKey, *text).ok()) {
        problem(node.source().begin, fmt::format("workers.{}: the key is 64 hexadecimal digits in quotes", id));
      } else {
        out_.credentials.push_back(
            {.name = id, .role = command::Role::worker, .secret = *text, .worker = id, .source = where(node.source().begin)});
      }
    }
  }

  // ci = { role = "operator", token = "…" }
  void read_tokens(const toml::table& table) {
    for (const auto& [key, node] : table) {
      const std::string name(key.str());
      if (const toml::table* fields = node.as_table())
        read_token(name, *fields, key.source().begin);
      else
        problem(node.source().begin,
                fmt::format("auth.tokens.{}: give a table like {{ role = \"operator\", token = \"…\" }}", name));
    }
  }

  // One of token, token_file, token_sha256 and certificate_sha256. False: a problem was noted.
  bool read_secret(const std::string& name, const toml::table& fields, const toml::source_position& at, Credential& out) {
    constexpr std::array kForms{"token", "token_file", "token_sha256", "certificate_sha256"};
    if (std::count_if(kForms.begin(), kForms.end(), [&](const char* form) { return fields.contains(form); }) != 1) {
      problem(at, fmt::format("auth.tokens.{}: give one of token, token_file, token_sha256 and certificate_sha256", name));
      return false;
    }
    if (fields.contains("certificate_sha256")) {
      for (const char c : fields["certificate_sha256"].value_or(std::string()))
        if (c != ':') out.certificate += lower(c);
      if (auth::parse_digest(out.certificate)) return true;
      problem(at,
              fmt::format("auth.tokens.{}: certificate_sha256 is 64 hexadecimal digits in quotes, colons in between if you like",
                          name));
      return false;
    }
    if (fields.contains("token_sha256")) {
      out.sha256 = fields["token_sha256"].value_or(std::string());
      constexpr Setting kDigest{.section = "auth", .key = "token_sha256", .type = SettingType::hex_key, .secret = true};
      if (!out.sha256.empty() && parse_setting(kDigest, out.sha256).ok()) return true;
      problem(at, fmt::format("auth.tokens.{}: token_sha256 is 64 hexadecimal digits in quotes", name));
      return false;
    }
    out.secret = fields["token"].value_or(std::string());
    if (const auto path = fields["token_file"].value<std::string>()) {
      out.file = *path;
      // Its first word, so that the line end of an editor is no part of it.
      std::ifstream in(*path);
      if (!(in >> out.secret)) {
        problem(at, fmt::format("auth.tokens.{}: {} cannot be read or holds no token", name, *path));
        return false;
      }
    }
    if (out.secret.size() >= kTokenBytesMin && out.secret.size() <= kTokenBytesMax) return true;
    problem(at, fmt::format("auth.tokens.{}: the token has {} bytes: give {} to {}", name, out.secret.size(), kTokenBytesMin,
                            kTokenBytesMax));
    return false;
  }

  // "*", as if nothing stood there, or an array of names. False: a problem was noted.
  bool read_namespaces(const std::string& name, const toml::table& fields, const toml::source_position& at, Credential& out) {
    const toml::node* node = fields.get("namespaces");
    if (node == nullptr || node->value_or(std::string()) == "*") return true;
    std::vector<NamespaceName> names;
    bool good = node->is_array() && !node->as_array()->empty();
    if (good)
      for (const toml::node& element : *node->as_array()) {
        names.emplace_back(element.value_or(std::string()));
        good = good && validate_name("namespaces", names.back().text()).ok();
      }
    if (good) {
      out.namespaces = std::move(names);
      return true;
    }
    problem(at, fmt::format("auth.tokens.{}: namespaces is \"*\" or an array of names of namespaces", name));
    return false;
  }

  void read_token(const std::string& name, const toml::table& fields, const toml::source_position& at) {
    static constexpr std::array<std::string_view, 7> kKeys{
        "role", "token", "token_file", "token_sha256", "certificate_sha256", "worker", "namespaces"};
    for (const auto& [key, node] : fields) {
      if (std::find(kKeys.begin(), kKeys.end(), key.str()) == kKeys.end()) {
        unknown(key, fmt::format("key in auth.tokens.{}", name), kKeys);
        return;
      }
    }
    Credential credential{.name = name, .source = where(at)};
    const std::string role_text = fields["role"].value_or(std::string());
    const auto role = command::parse_role(role_text);
    if (!read_secret(name, fields, at, credential) || !read_namespaces(name, fields, at, credential)) return;
    credential.worker = fields["worker"].value_or(std::string());
    if (!role) {
      problem(at,
              fmt::format("auth.tokens.{}: role \"{}\" is not accepted: give operator, worker or read-only", name, role_text));
    } else if (!credential.worker.empty() && *role != command::Role::worker) {
      problem(at, fmt::format("auth.tokens.{}: \"worker\" goes with role worker only", name));
    } else {
      credential.role = *role;
      out_.credentials.push_back(std::move(credential));
    }
  }

  const std::string& path_;
  ConfigFile out_;
};

}  // namespace

ConfigFile read_config_file(const std::string& path) { return FileReader(path).read(); }

}  // namespace muster::server
