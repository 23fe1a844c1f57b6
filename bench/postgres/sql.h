// The texts of sql/, by file name. An unknown name ends the program.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

namespace muster::bench::postgres {

std::string_view sql_text(std::string_view file);
// With every {name} replaced by its value.
std::string filled_in(std::string_view file, std::initializer_list<std::pair<std::string_view, std::string>> values);

}  // namespace muster::bench::postgres
