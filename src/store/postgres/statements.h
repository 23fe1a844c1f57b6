// Every statement there is, from sql/*.sql, by its name there. All are prepared when a connection opens, so that a mistake
// in one shows at the start and not at its first use.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace muster::store::postgres {

// The place of a statement in the list of all. Cheap to copy; made once, at start, from the name.
class Sql {
 public:
  explicit Sql(std::string_view name);  // REQUIRES: a file of sql/ has a statement of that name
  std::size_t index() const { return index_; }

 private:
  std::size_t index_;
};

// A statement by its name, where it is used: "begin"_sql. Looked up once, before main.
template <std::size_t N>
struct StatementName {
  constexpr StatementName(const char (&name)[N]) { std::copy_n(name, N, text); }  // NOLINT: a literal becomes it
  char text[N];
};
template <StatementName kName>
inline const Sql kStatement{std::string_view(kName.text)};
template <StatementName kName>
const Sql& operator""_sql() {
  return kStatement<kName>;
}

struct StatementText {
  std::string name;
  std::string text;
};
// All statements with the schema's name put in, in the order of Sql::index().
std::span<const StatementText> statements(const std::string& schema);

inline constexpr std::string_view kUsualSchema = "muster";
// Where AgentPG's views of a schema are: `agentpg`, or a name of its own beside a schema that is not the usual one.
std::string agentpg_schema(std::string_view schema);
// `{schema}` in a text becomes the quoted name, and `{agentpg}` that of the views.
std::string with_schema(std::string_view text, std::string_view schema);
std::string quoted(std::string_view name);

}  // namespace muster::store::postgres
