#include "store/sqlite/statements.h"

#include "store/named_statements.h"
#include "store/sqlite/hot/job.h"
#include "store/sqlite/statements_text.h"

namespace muster::store::sqlite {

std::string_view statement_text(std::string_view name) {
  static constexpr NamedNumber kNumbers[] = {{"flag.run", kIsRun}};
  static const auto all = named_statements(embedded::statements_text(), kNumbers);
  return all[statement_index(all, name)].text;
}

}  // namespace muster::store::sqlite
