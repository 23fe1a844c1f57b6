#include "model/package.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "model/validate.h"

namespace muster {
namespace {

constexpr std::array<std::string_view, 2> kOps{"install", "uninstall"};
constexpr std::array<std::string_view, 6> kStatuses{"requested", "sent", "installed", "removed", "missing", "failed"};
constexpr std::size_t kSha256Digits = 64;

template <class Word, std::size_t N>
std::optional<Word> parse(const std::array<std::string_view, N>& words, std::string_view text) {
  const auto found = std::find(words.begin(), words.end(), text);
  if (found == words.end()) return std::nullopt;
  return static_cast<Word>(found - words.begin());
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_lower(char c) { return (c >= 'a' && c <= 'z') || is_digit(c); }
bool is_suffix(char c) { return is_lower(c) || (c >= 'A' && c <= 'Z') || c == '.' || c == '-' || c == '+'; }
bool is_joint(char c) { return c == '.' || c == '_' || c == '-'; }

// [a-z0-9]+([._-][a-z0-9]+)*
bool is_name(std::string_view text) {
  bool word = false;  // the character before belongs to a word
  for (const char c : text) {
    if (!is_lower(c) && !(word && is_joint(c))) return false;
    word = is_lower(c);
  }
  return word;
}

// N.N.N, then nothing or - or + and more of either
bool is_version(std::string_view text) {
  for (int part = 0; part < 3; ++part) {
    if (part > 0) {
      if (text.empty() || text.front() != '.') return false;
      text.remove_prefix(1);
    }
    const auto end = std::find_if_not(text.begin(), text.end(), is_digit);
    if (end == text.begin()) return false;
    text.remove_prefix(static_cast<std::size_t>(end - text.begin()));
  }
  if (text.empty()) return true;
  return (text.front() == '-' || text.front() == '+') && text.size() > 1 && std::all_of(text.begin(), text.end(), is_suffix);
}

// What is shown of a value that nobody vouches for.
std::string shown(std::string_view text) {
  std::string out(text.substr(0, 80));
  std::replace_if(
      out.begin(), out.end(),
      [](char c) { return static_cast<unsigned char>(c) < 0x20 || static_cast<unsigned char>(c) >= 0x7f; }, '?');
  return out;
}

// Without leading zeros a longer number is a larger one, however long it is.
std::string_view take_number(std::string_view& text) {
  const std::size_t end = std::min(text.find_first_not_of("0123456789"), text.size());
  std::string_view number = text.substr(0, end);
  text.remove_prefix(end);
  number.remove_prefix(std::min(number.find_first_not_of('0'), number.size()));
  return number;
}

}  // namespace

std::string_view to_string(PackageOp op) { return kOps[static_cast<std::size_t>(op)]; }
std::optional<PackageOp> parse_package_op(std::string_view word) { return parse<PackageOp>(kOps, word); }
std::string_view to_string(PackageStatus status) { return kStatuses[static_cast<std::size_t>(status)]; }
std::optional<PackageStatus> parse_package_status(std::string_view word) { return parse<PackageStatus>(kStatuses, word); }

Status validate_package_name(std::string_view name) {
  if (name.size() <= limits::kPackageNameBytesMax && is_name(name)) return {};
  return Status::invalid_argument(
      fmt::format("the package name \"{}\" is not accepted; words of a-z and 0-9 joined by . _ or - are, up to {} bytes",
                  shown(name), limits::kPackageNameBytesMax));
}

Status validate_package_version(std::string_view version) {
  if (version.size() <= limits::kPackageVersionBytesMax && is_version(version)) return {};
  return Status::invalid_argument(
      fmt::format("the version \"{}\" is not accepted; one such as 1.2.3 or 1.2.3-rc.1 is, up to {} bytes", shown(version),
                  limits::kPackageVersionBytesMax));
}

Status validate_sha256(std::string_view digest) {
  const auto is_hex = [](char c) { return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); };
  if (digest.size() == kSha256Digits && std::all_of(digest.begin(), digest.end(), is_hex)) return {};
  return Status::invalid_argument(
      fmt::format("the sha256 \"{}\" is not accepted; {} hexadecimal digits are", shown(digest), kSha256Digits));
}

Status validate_package_url(std::string_view url) {
  const std::size_t colon = url.find(':');
  const bool has_scheme = colon != std::string_view::npos && colon > 0 && url.size() > colon + 1 &&
                          std::all_of(url.begin(), url.begin() + static_cast<std::ptrdiff_t>(colon), is_suffix) &&
                          !is_digit(url.front());
  const bool plain = std::all_of(url.begin(), url.end(), [](char c) { return c > 0x20 && c < 0x7f; });
  if (url.size() <= limits::kPackageUrlBytesMax && has_scheme && plain) return {};
  return Status::invalid_argument(
      fmt::format("the url \"{}\" is not accepted; an absolute one such as file:///srv/p.zip is, without blanks, up to {} bytes",
                  shown(url), limits::kPackageUrlBytesMax));
}

Status validate(const PackageWish& wish) {
  if (Status status = validate_package_name(wish.name); !status.ok()) return status;
  if (wish.op == PackageOp::install || !wish.version.empty())
    if (Status status = validate_package_version(wish.version); !status.ok()) return status;
  if (!wish.url.empty())
    if (Status status = validate_package_url(wish.url); !status.ok()) return status;
  if (!wish.sha256.empty())
    if (Status status = validate_sha256(wish.sha256); !status.ok()) return status;
  if (!wish.worker.empty())
    if (Status status = validate_name("worker", wish.worker.text()); !status.ok()) return status;
  return validate_labels("selector", wish.selector);
}

std::string target_text(const PackageWish& wish) {
  if (!wish.worker.empty()) return "worker:" + wish.worker.text();
  if (wish.selector.empty()) return "all";
  std::string out = "labels:";
  for (const auto& [key, value] : wish.selector) out += (out.back() == ':' ? "" : ",") + key + "=" + value;
  return out;
}

bool is_older_version(std::string_view a, std::string_view b) {
  while (!a.empty() && !b.empty()) {
    const std::string_view left = take_number(a);
    const std::string_view right = take_number(b);
    if (left.size() != right.size()) return left.size() < right.size();
    if (left != right) return left < right;
    if (a.empty() || b.empty()) break;
    if (a.front() != b.front()) return a.front() < b.front();
    a.remove_prefix(1);
    b.remove_prefix(1);
  }
  // One is the beginning of the other: 1.0.0-rc.1 comes before 1.0.0, 1.0.0+7 after it.
  if (a.empty() && !b.empty()) return b.front() != '-';
  return !a.empty() && a.front() == '-';
}

}  // namespace muster
