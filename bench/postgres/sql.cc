#include "bench/postgres/sql.h"

#include <fmt/format.h>

#include "bench/postgres_sql_text.h"
#include "bench/rig.h"

namespace muster::bench::postgres {

std::string_view sql_text(std::string_view file) {
  for (const auto& known : embedded::postgres_sql_text())
    if (known.name == file) return known.text;
  give_up("sql", Status::internal(fmt::format("there is no file {}", file)));
}

std::string filled_in(std::string_view file, std::initializer_list<std::pair<std::string_view, std::string>> values) {
  std::string text(sql_text(file));
  for (const auto& [name, value] : values) {
    const std::string mark = fmt::format("{{{}}}", name);
    for (std::size_t at = text.find(mark); at != std::string::npos; at = text.find(mark, at + value.size()))
      text.replace(at, mark.size(), value);
  }
  return text;
}

}  // namespace muster::bench::postgres
