#include "worker/path_rules.h"

#include <algorithm>
#include <filesystem>
#include <system_error>

namespace muster::worker {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kSeparators = "=:,@";

bool is_under(const fs::path& path, const fs::path& prefix) {
  const fs::path root = prefix.lexically_normal();
  const auto [end, ignored] = std::mismatch(root.begin(), root.end(), path.begin(), path.end());
  return end == root.end() || (std::next(end) == root.end() && end->empty());  // a trailing slash is an empty last part
}

// As it is written or as its own links lead.
bool is_under_any(const fs::path& path, const AllowedPaths& allowed) {
  const auto holds = [&path](const std::string& prefix) {
    std::error_code error;
    const fs::path real = fs::weakly_canonical(prefix, error);
    return is_under(path, prefix) || (!error && is_under(path, real));
  };
  return holds(allowed.folder) || std::any_of(allowed.prefixes.begin(), allowed.prefixes.end(), holds);
}

bool is_allowed(std::string_view text, const AllowedPaths& allowed) {
  std::error_code error;
  const fs::path written = (fs::path(allowed.folder) / text).lexically_normal();  // an absolute path stays what it is
  const fs::path real = fs::weakly_canonical(written, error);
  // Nothing can be opened by a name that is too long for one.
  if (error == std::errc::filename_too_long) return is_under_any(written, allowed);
  return !error && is_under_any(written, allowed) && is_under_any(real, allowed);
}

}  // namespace

std::vector<std::string_view> paths_in(std::string_view word) {
  std::vector<std::string_view> out;
  if (word.starts_with('-')) {
    // The value may begin at the first slash, or after the option's one letter.
    if (const std::size_t slash = word.find('/'); slash != word.npos) out.push_back(word.substr(slash));
    if (!word.starts_with("--") && word.size() > 2) out.push_back(word.substr(2));
  } else if (!word.empty()) {
    out.push_back(word);
  }
  for (std::size_t i = 0; i + 1 < word.size(); ++i)
    if (kSeparators.find(word[i]) != kSeparators.npos && (word[i + 1] == '/' || word[i] == '='))
      out.push_back(word.substr(i + 1));
  return out;
}

bool names_allowed_paths_only(std::string_view word, const AllowedPaths& allowed) {
  const auto paths = paths_in(word);
  return std::all_of(paths.begin(), paths.end(), [&](std::string_view path) { return is_allowed(path, allowed); });
}

}  // namespace muster::worker
