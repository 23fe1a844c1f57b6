// Lines of a text that arrives in pieces of any size. Pure.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "base/status.h"

namespace muster::claude {

class LineReader {
 public:
  // `take` is called for each line that is whole and not blank, with a view that ends with the call. `corrupt`: a line is longer
  // than kModelResultLineBytesMax.
  Status feed(std::string_view bytes, const std::function<void(std::string_view)>& take);
  // The text has ended: a last line needs no line feed.
  void finish(const std::function<void(std::string_view)>& take);

 private:
  std::string line_;
};

}  // namespace muster::claude
