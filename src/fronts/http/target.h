// The target of a request: path segments and query parameters, percent-decoded.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/status.h"

namespace muster::http {

inline constexpr std::size_t kQueryParametersMax = 128;

struct QueryParameter {
  std::string name;
  std::string value;
};

struct Target {
  std::string path;                   // as sent, without the query
  std::vector<std::string> segments;  // of the path, decoded; "/a/b" has two
  std::vector<QueryParameter> query;
};

// invalid_argument: not an absolute path, a broken percent escape, a NUL, or too many parameters.
Result<Target> parse_target(std::string_view text);

// Reads parameters by name. Errors latch; finish() also refuses the parameters nobody asked for.
class QueryReader {
 public:
  explicit QueryReader(const std::vector<QueryParameter>& query) : query_(query), asked_(query.size(), false) {}

  std::optional<std::string> text(std::string_view name);  // given once at most
  std::vector<std::string> texts(std::string_view name);   // repeated; every value as it stands
  std::vector<std::string> words(std::string_view name);   // repeated or a comma list
  std::optional<Instant> instant(std::string_view name);
  std::optional<std::uint64_t> number(std::string_view name, std::uint64_t most);
  bool flag(std::string_view name);  // true or false; absent is false

  void refuse(std::string_view name, std::string_view message);
  Status finish();

 private:
  const std::vector<QueryParameter>& query_;
  std::vector<bool> asked_;
  std::vector<std::string_view> names_;
  Status status_;
};

}  // namespace muster::http
