// A file of the source tree that the program carries (cmake/embed.cmake).
#pragma once

#include <string_view>

namespace muster::embedded {

struct File {
  std::string_view name;
  std::string_view text;
};

}  // namespace muster::embedded
