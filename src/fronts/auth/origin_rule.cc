#include "fronts/auth/origin_rule.h"

#include <arpa/inet.h>
#include <fmt/format.h>

#include <algorithm>

#include "base/ascii.h"

namespace muster::auth {
namespace {

constexpr std::size_t kShownBytes = 128;
constexpr std::string_view kAnyOrigin = "*";

bool contains(const std::vector<std::string>& names, std::string_view name) {
  return std::any_of(names.begin(), names.end(), [&](const std::string& each) { return same_in_any_case(each, name); });
}

std::string_view without_port(std::string_view host) {
  if (host.starts_with('[')) return host.substr(0, std::min(host.find(']'), host.size() - 1) + 1);
  return host.substr(0, host.find(':'));
}

bool is_address(std::string_view name) {
  in_addr ip4{};
  in6_addr ip6{};
  if (name.starts_with('[') && name.ends_with(']')) name = name.substr(1, name.size() - 2);
  const std::string text(name);
  return inet_pton(AF_INET, text.c_str(), &ip4) == 1 || inet_pton(AF_INET6, text.c_str(), &ip6) == 1;
}

// An address in `Host` was typed as one: only names can be pointed elsewhere.
bool is_ours(const OriginRule& rule, std::string_view name) {
  return is_loopback_host(name) || contains(rule.host_names, name) || (!rule.loopback && is_address(name));
}

Status check_host(const OriginRule& rule, std::string_view host) {
  if (rule.tokens_required || host.empty()) return {};
  const std::string_view name = without_port(host);
  if (is_ours(rule, name)) return {};
  return Status::permission_denied(
      fmt::format("host \"{}\" is not accepted without authentication; loopback names are, and those of http.host_names",
                  name.substr(0, kShownBytes)));
}

Status check_origin(const OriginRule& rule, const PageHeaders& headers) {
  if (headers.origin.empty() || is_own_page(rule, headers) || contains(rule.origins, headers.origin)) return {};
  if (rule.tokens_required && contains(rule.origins, kAnyOrigin)) return {};
  return Status::permission_denied(
      fmt::format("pages of origin \"{}\" may not call this server", headers.origin.substr(0, kShownBytes)));
}

}  // namespace

bool is_own_page(const OriginRule& rule, const PageHeaders& headers) {
  constexpr std::string_view kSecure = "https://";
  // Behind a proxy that ends TLS the page is of https, and what it asks comes without.
  const bool secure = rule.tls || (rule.tokens_required && same_in_any_case(headers.origin.substr(0, kSecure.size()), kSecure));
  const std::string_view scheme = secure ? kSecure : "http://";
  return !headers.host.empty() && headers.origin.size() > scheme.size() &&
         same_in_any_case(headers.origin.substr(0, scheme.size()), scheme) &&
         same_in_any_case(headers.origin.substr(scheme.size()), headers.host);
}

bool is_loopback_host(std::string_view host) {
  const std::string_view name = without_port(host);
  if (same_in_any_case(name, "localhost") || same_in_any_case(name, "[::1]")) return true;
  in_addr address{};
  return inet_pton(AF_INET, std::string(name).c_str(), &address) == 1 && (ntohl(address.s_addr) >> 24) == 127;
}

Status check_page(const OriginRule& rule, const PageHeaders& headers) {
  if (Status host = check_host(rule, headers.host); !host.ok()) return host;
  return check_origin(rule, headers);
}

}  // namespace muster::auth
