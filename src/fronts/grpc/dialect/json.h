// Is a text JSON? Strict by RFC 8259 and in one pass without building anything, because every input and output passes here.
#pragma once

#include <cstddef>
#include <string_view>

namespace muster::rpc {

// One value in UTF-8 with white space around it, no deeper than json::kDepthMax: clients could not read it either. Escapes that
// are half a surrogate pair are refused.
bool is_json(std::string_view text);

}  // namespace muster::rpc
