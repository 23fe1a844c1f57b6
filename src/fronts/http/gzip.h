// Compresses replies. One per front, on the loop's thread; the compressor's memory is kept between replies.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace muster::http {

// Does `Accept-Encoding` allow gzip? (RFC 9110: a quality of 0 forbids it.)
bool accepts_gzip(std::string_view accept_encoding);
// The same of another coding, such as "br".
bool accepts_encoding(std::string_view accept_encoding, std::string_view coding);

class Gzip {
 public:
  Gzip();
  ~Gzip();
  // nullopt: compression failed or gained nothing; send the text as it is.
  std::optional<std::string> compress(std::string_view text);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace muster::http
