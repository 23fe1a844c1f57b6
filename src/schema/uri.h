// URIs and JSON pointers as a schema uses them: to say where it is and to refer to others. Used by library.h.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace muster::schema {

// RFC 3986, 5.2. `base` may be empty: then the reference stays as it is. The fragment is the reference's.
std::string resolve(std::string_view base, std::string_view reference);

struct SplitUri {
  std::string_view document;
  std::string_view fragment;  // without its '#'; empty as well when there is none
};
SplitUri split_fragment(std::string_view uri);

// nullopt: a '%' without two digits behind it.
std::optional<std::string> percent_decoded(std::string_view text);

// The names of a JSON pointer (RFC 6901), unescaped. nullopt: neither empty nor beginning with '/', or a '~' that escapes
// nothing.
std::optional<std::vector<std::string>> pointer_names(std::string_view pointer);
// One of them as a pointer writes it, behind its '/'.
void append_name(std::string& pointer, std::string_view name);

}  // namespace muster::schema
