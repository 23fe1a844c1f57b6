// Takes HTTP/1.1 requests out of a stream of bytes, one after the other. The only file behind which Beast lives.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "fronts/http/request.h"

namespace muster::http {

Method method_named(std::string_view name);   // "GET"; other: no route of ours has it
bool wants_metadata(const Request& request);  // its Request::metadata is to be filled in

class RequestReader {
 public:
  struct Bounds {
    std::size_t header_bytes_max = 0;
    std::size_t body_bytes_max = 0;
  };
  explicit RequestReader(Bounds bounds);
  ~RequestReader();

  enum class Phase : std::uint8_t {
    idle,  // nothing of the next request has come
    header,
    body,
    complete,  // take() it
    failed,    // see failure(); the stream cannot be read on
  };

  // Consumes what it can and returns how much. What it leaves belongs to the header that is still incomplete, or to the next
  // request; give it again together with more.
  std::size_t feed(std::string_view bytes);
  Phase phase() const;
  std::size_t buffered() const;  // bytes kept of the request that is on its way
  // The client waits for `100 Continue` before it sends the body. True once per request.
  bool take_expectation();
  // What says who sends a request whose long body is still on its way. Something once per request, at its first chance.
  std::optional<Request> take_early_head();
  // REQUIRES: complete. Begins the next request.
  Request take();

  struct Failure {
    unsigned status = 400;  // 400, 413, 431
    std::string detail;
  };
  const Failure& failure() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace muster::http
