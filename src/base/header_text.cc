#include "base/header_text.h"

#include <fmt/format.h>

#include <iterator>

#include "base/base64.h"

namespace muster {

std::string percent_encoded(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (const char c : text) {
    if (c >= ' ' && c <= '~' && c != '%')
      out += c;
    else
      fmt::format_to(std::back_inserter(out), "%{:02X}", static_cast<unsigned char>(c));
  }
  return out;
}

std::string to_unpadded_base64(std::string_view bytes) {
  std::string out = to_base64(bytes);
  while (!out.empty() && out.back() == '=') out.pop_back();
  return out;
}

}  // namespace muster
