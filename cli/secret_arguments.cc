#include "cli/secret_arguments.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <optional>

namespace muster::cli {
namespace {

constexpr std::array<std::string_view, 3> kSecretFlags{"--token", "--key", "-k"};
constexpr std::array<std::string_view, 2> kUrlSchemes{"postgres://", "postgresql://"};
constexpr std::string_view kPasswordParameter = "password=";

bool is_secret_flag(std::string_view text) {
  return std::find(kSecretFlags.begin(), kSecretFlags.end(), text) != kSecretFlags.end();
}

// Where the value of --flag=VALUE or -kVALUE begins.
std::optional<std::size_t> attached_value(std::string_view text) {
  if (const std::size_t equals = text.find('='); equals != std::string_view::npos && is_secret_flag(text.substr(0, equals)))
    return equals + 1;
  if (text.size() > 2 && text.starts_with("-k")) return 2;
  return std::nullopt;
}

void add_url_passwords(std::string_view text, std::size_t argument, std::vector<SecretPart>& out) {
  for (const std::string_view scheme : kUrlSchemes) {
    const std::size_t at = text.find(scheme);
    if (at == std::string_view::npos) continue;
    const std::size_t user = at + scheme.size();
    const std::size_t end = std::min(text.find_first_of("/?#", user), text.size());
    const std::size_t host = text.substr(0, end).rfind('@');
    const std::size_t colon = text.find(':', user);
    if (host != std::string_view::npos && host > user && colon < host) out.push_back({argument, colon + 1, host - colon - 1});
    for (std::size_t next = text.find(kPasswordParameter, end); next != std::string_view::npos;
         next = text.find(kPasswordParameter, next + 1)) {
      const std::size_t from = next + kPasswordParameter.size();
      out.push_back({argument, from, std::min(text.find('&', from), text.size()) - from});
    }
    return;
  }
}

}  // namespace

std::vector<SecretPart> secrets_in(const std::vector<std::string_view>& arguments) {
  std::vector<SecretPart> out;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string_view text = arguments[i];
    if (is_secret_flag(text)) {
      if (i + 1 < arguments.size()) out.push_back({i + 1, 0, arguments[i + 1].size()});
    } else if (const auto from = attached_value(text)) {
      out.push_back({i, *from, text.size() - *from});
    } else {
      add_url_passwords(text, i, out);
    }
  }
  return out;
}

std::vector<std::string> take_arguments(int argc, char** argv) {
  const std::vector<std::string_view> given(argv + (argc > 0 ? 1 : 0), argv + argc);
  std::vector<std::string> copies(given.begin(), given.end());
  const std::vector<SecretPart> secrets = secrets_in(given);
  for (const SecretPart& secret : secrets) std::fill_n(argv[secret.argument + 1] + secret.from, secret.size, '*');
  if (!secrets.empty())
    std::fputs(
        "muster: a secret on the command line can be read by others until it is hidden; files and the environment keep it "
        "(--token-file, --key-file, --store-file, PGPASSFILE, MUSTER_TOKEN, MUSTER_SERVER_STORE)\n",
        stderr);
  return copies;
}

}  // namespace muster::cli
