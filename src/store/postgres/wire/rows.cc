#include "store/postgres/wire/rows.h"

#include <libpq-fe.h>

#include <bit>
#include <cstdlib>

namespace muster::store::postgres {

void Rows::Clear::operator()(pg_result* result) const { PQclear(result); }

Rows::Rows(pg_result* result) : result_(result) {}

std::size_t Rows::size() const { return result_ ? static_cast<std::size_t>(PQntuples(result_.get())) : 0; }

std::size_t Rows::affected() const { return result_ ? std::strtoull(PQcmdTuples(result_.get()), nullptr, 10) : 0; }

bool Rows::null(std::size_t row, int column) const { return PQgetisnull(result_.get(), static_cast<int>(row), column) != 0; }

std::int64_t Rows::integer(std::size_t row, int column) const {
  const std::string_view bytes = view(row, column);
  if (bytes.empty()) return 0;
  // The sign is in the first byte.
  std::int64_t value = static_cast<signed char>(bytes.front());
  for (std::size_t i = 1; i < bytes.size(); ++i) value = (value << 8) | static_cast<unsigned char>(bytes[i]);
  return value;
}

std::optional<std::int64_t> Rows::maybe(std::size_t row, int column) const {
  if (null(row, column)) return std::nullopt;
  return integer(row, column);
}

double Rows::real(std::size_t row, int column) const { return std::bit_cast<double>(integer(row, column)); }

std::string_view Rows::view(std::size_t row, int column) const {
  const int at = static_cast<int>(row);
  return {PQgetvalue(result_.get(), at, column), static_cast<std::size_t>(PQgetlength(result_.get(), at, column))};
}

}  // namespace muster::store::postgres
