#include <fmt/format.h>
#include <openssl/pem.h>
#include <openssl/x509.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <memory>
#include <string_view>

#include "base/time_text.h"
#include "server/config_command.h"
#include "server/doctor.h"

namespace muster::server {
namespace {

using namespace std::chrono_literals;

constexpr Duration kExpiryWarn = 24h * 14;

struct CloseFile {
  void operator()(std::FILE* file) const { std::fclose(file); }
};
struct FreeCertificate {
  void operator()(X509* certificate) const { X509_free(certificate); }
};
struct FreeKey {
  void operator()(EVP_PKEY* key) const { EVP_PKEY_free(key); }
};
using File = std::unique_ptr<std::FILE, CloseFile>;
using Certificate = std::unique_ptr<X509, FreeCertificate>;
using Key = std::unique_ptr<EVP_PKEY, FreeKey>;

Finding failed(std::string name, std::string text, std::string remedy) {
  return {.name = std::move(name), .grade = Grade::fail, .text = std::move(text), .remedy = std::move(remedy)};
}

// Files with secrets are for their owner alone.
Finding check_mode(const std::string& name, const std::string& path) {
  struct stat info {};
  if (::stat(path.c_str(), &info) != 0)
    return failed(name, fmt::format("{}: {}", path, std::strerror(errno)), "make the file readable for this user");
  if ((info.st_mode & (S_IRWXG | S_IRWXO)) != 0)
    return {.name = name,
            .grade = Grade::warn,
            .text = fmt::format("{} can be read by others (mode {:o})", path, info.st_mode & 07777u),
            .remedy = fmt::format("chmod 600 {}", path)};
  return good(name, path + " is private");
}

bool exists(const std::string& path) {
  struct stat info {};
  return ::stat(path.c_str(), &info) == 0;
}

Finding check_expiry(const X509& certificate, const std::string& path, Instant now) {
  std::tm time{};
  if (ASN1_TIME_to_tm(X509_get0_notAfter(&certificate), &time) != 1)
    return failed("certificate", fmt::format("{}: its expiry cannot be read", path), "make a new certificate");
  const Instant expires = from_ms(static_cast<std::int64_t>(::timegm(&time)) * 1'000);
  const std::string text = fmt::format("{} is valid until {}", path, to_rfc3339(expires));
  if (expires <= now)
    return failed("certificate", fmt::format("{} expired at {}", path, to_rfc3339(expires)), "renew it, then SIGHUP the server");
  if (expires - now < kExpiryWarn)
    return {.name = "certificate", .grade = Grade::warn, .text = text, .remedy = "renew it soon, then SIGHUP the server"};
  return good("certificate", text);
}

// Between the scheme and the host (USER:PASSWORD@), or among the parameters.
bool has_password(std::string_view url) {
  if (!is_postgres_url(url)) return false;
  const std::string_view rest = url.substr(url.find("://") + 3);
  const std::string_view user = rest.substr(0, std::min(rest.find('@'), rest.find_first_of("/?")));
  const bool named = user.size() < rest.size() && rest[user.size()] == '@' && user.find(':') != std::string_view::npos;
  return named || rest.find("password=") != std::string_view::npos;
}

bool file_holds_secrets(const Config& config) {
  if (config.file.empty()) return false;
  const auto from_file = [&config](const ConfigEntry& entry) { return entry.source.starts_with(config.file); };
  const auto is_secret = [&from_file](const ConfigEntry& entry) {
    const std::string* const text = std::get_if<std::string>(&entry.value);
    if (text == nullptr || text->empty() || !from_file(entry)) return false;
    return entry.setting->secret || has_password(*text) ||
           (entry.setting->type == SettingType::text && without_user(*text) != *text);
  };
  return !config.credentials.empty() || std::any_of(config.entries.begin(), config.entries.end(), is_secret);
}

}  // namespace

std::vector<Finding> check_secret_files(const Config& config) {
  std::vector<Finding> findings;
  if (config.text("auth", "session_key").empty()) {
    const std::string path = config.session_key_path();
    if (exists(path))
      findings.push_back(check_mode("session key", path));
    else
      findings.push_back(good("session key", fmt::format("{} does not exist; `muster serve` makes it", path)));
  }
  for (const Credential& credential : config.credentials)
    if (!credential.file.empty()) findings.push_back(check_mode("token file", credential.file));
  if (const std::string& file = config.text("agents", "api_key_file"); !file.empty())
    findings.push_back(check_mode("agents.api_key_file", file));
  if (file_holds_secrets(config)) findings.push_back(check_mode("configuration file", config.file));
  return findings;
}

std::vector<Finding> check_tls(const Config& config, const Clock& clock) {
  const std::string& cert_path = config.text("tls", "cert");
  const std::string& key_path = config.text("tls", "key");
  if (cert_path.empty()) return {good("tls", "off")};
  const File cert_file(std::fopen(cert_path.c_str(), "re"));
  if (!cert_file) return {failed("certificate", fmt::format("{}: {}", cert_path, std::strerror(errno)), "check tls.cert")};
  const Certificate certificate(PEM_read_X509(cert_file.get(), nullptr, nullptr, nullptr));
  if (!certificate)
    return {failed("certificate", fmt::format("{} holds no certificate in PEM form", cert_path), "check tls.cert")};
  std::vector<Finding> findings{check_expiry(*certificate, cert_path, clock.now()), check_mode("private key", key_path)};
  const File key_file(std::fopen(key_path.c_str(), "re"));
  if (!key_file) return findings;  // check_mode has said so
  const Key key(PEM_read_PrivateKey(key_file.get(), nullptr, nullptr, nullptr));
  if (!key)
    findings.push_back(failed("private key", fmt::format("{} holds no key in PEM form", key_path), "check tls.key"));
  else if (X509_check_private_key(certificate.get(), key.get()) != 1)
    findings.push_back(
        failed("private key", fmt::format("{} does not belong to {}", key_path, cert_path), "check tls.cert and tls.key"));
  return findings;
}

}  // namespace muster::server
