#include "server/told_settings.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/ascii.h"
#include "base/sha256.h"
#include "base/utf8.h"
#include "server/config_command.h"

namespace muster::server {
namespace {

constexpr std::size_t kSealDigits = 32;  // of the 64: 128 bits tell any two values apart
constexpr std::string_view kSessionKey = "auth.session_key";

// What the database and people read: UTF-8 without a zero byte. The environment may hold anything.
std::string readable(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const std::size_t length = utf8_length(text);
    if (length == 0 || text.front() == '\0')
      out += '?';
    else
      out += text.substr(0, length);
    text.remove_prefix(std::max<std::size_t>(length, 1));
  }
  return out;
}

// Parts with their lengths, so that no two lists of parts read alike.
class Parts {
 public:
  Parts& add(std::string_view part) {
    text_ += fmt::format("{}:{}", part.size(), part);
    return *this;
  }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

class Teller {
 public:
  explicit Teller(const std::string& key) : key_(hmac_sha256_hex({.key = key, .bytes = "muster settings of nodes"})) {
    out_.sealed_by = seal("key", {});
  }

  // `shown` is told, and `whole` sealed when that is something else.
  void tell(std::string name, std::string_view shown, std::string_view whole, bool own = false) {
    const std::string text = readable(shown);
    const std::string_view front = utf8_front(text, kSettingToldBytesMax);
    const std::string sealed = front == whole ? std::string() : seal(name, whole);
    out_.settings.push_back({.name = std::move(name),
                             .value = front.size() < text.size() ? fmt::format("{}…", front) : text,
                             .seal = sealed,
                             .own = own});
  }
  // Wherever it came from: a key that was generated once and one that is configured may be the same.
  void tell_key() {
    out_.settings.push_back(
        {.name = std::string(kSessionKey), .value = std::string(kRedacted), .seal = out_.sealed_by, .own = false});
  }
  store::NodeSettings done() { return std::move(out_); }

 private:
  std::string seal(std::string_view name, std::string_view whole) const {
    return hmac_sha256_hex({.key = key_, .bytes = Parts().add(name).add(whole).text()}).substr(0, kSealDigits);
  }

  const std::string key_;
  store::NodeSettings out_;
};

bool is_worker_key(const Credential& credential) {
  return credential.certificate.empty() && credential.role == command::Role::worker && credential.worker == credential.name;
}

// "2: ci, ops", and with it everything about them but where it was read.
void tell_credentials(Teller& teller, const Config& config, std::string name, bool worker_keys) {
  std::map<std::string, std::string> wholes;
  for (const Credential& credential : config.credentials) {
    if (is_worker_key(credential) != worker_keys) continue;
    Parts whole;
    // A token may be given as itself here and as its hash there.
    whole.add(command::to_string(credential.role));
    whole.add(credential.secret.empty() ? lower(credential.sha256) : sha256_hex(credential.secret))
        .add(lower(credential.certificate));
    whole.add(credential.worker).add(credential.namespaces ? "some" : "all");
    std::vector<std::string> namespaces;
    for (const NamespaceName& ns : credential.namespaces.value_or(std::vector<NamespaceName>())) namespaces.push_back(ns.text());
    std::sort(namespaces.begin(), namespaces.end());
    for (const std::string& ns : namespaces) whole.add(ns);
    wholes[credential.name] = whole.text();
  }
  std::string shown = fmt::format("{}", wholes.size());
  Parts all;
  for (const auto& [each, whole] : wholes) {
    shown += fmt::format("{} {}", shown.find(':') == std::string::npos ? ":" : ",", each);
    all.add(each).add(whole);
  }
  teller.tell(std::move(name), shown, wholes.empty() ? shown : all.text());
}

// "team-a.mem_pct = 80, team-b.mem_pct = 70"
std::string namespace_settings(const Config& config) {
  std::map<std::string, std::string> values;
  for (const NamespaceEntry& own : config.namespace_entries)
    values[fmt::format("{}.{}", own.ns, own.entry.setting->key)] = shown_setting(own.entry);
  std::string out;
  for (const auto& [name, value] : values) out += fmt::format("{}{} = {}", out.empty() ? "" : ", ", name, value);
  return out;
}

}  // namespace

bool is_own(const Setting& setting) {
  switch (setting.type) {
    case SettingType::path:
    case SettingType::listen:
    case SettingType::listeners:
    case SettingType::database: return true;
    case SettingType::text:
    case SettingType::boolean:
    case SettingType::count:
    case SettingType::bytes:
    case SettingType::duration:
    case SettingType::choice:
    case SettingType::hex_key:
    case SettingType::list: break;
  }
  return setting.section == "postgres" && (setting.key == "node" || setting.key == "address");
}

store::NodeSettings told_settings(const Config& config, const SessionKey& key) {
  Teller teller(key.text);
  for (const ConfigEntry& entry : config.entries) {
    const std::string name = full_name(*entry.setting);
    if (name == kSessionKey)
      teller.tell_key();
    else
      teller.tell(name, shown_setting(entry), format_setting(*entry.setting, entry.value), is_own(*entry.setting));
  }
  const std::string of_namespaces = namespace_settings(config);
  teller.tell("load.namespaces", of_namespaces, of_namespaces);
  tell_credentials(teller, config, "auth.tokens", false);
  tell_credentials(teller, config, "workers", true);
  return teller.done();
}

}  // namespace muster::server
