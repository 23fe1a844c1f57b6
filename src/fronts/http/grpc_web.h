// The bytes of gRPC-Web: one message in, a message and trailers out, as they are or in base64. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/status.h"

namespace muster::http::grpc_web {

// application/grpc-web, application/grpc-web+proto; with -text: base64.
enum class Form : std::uint8_t { binary, text };
std::optional<Form> form_of(std::string_view content_type);
std::string_view content_type(Form form);

// The one message of a unary call. invalid_argument: frames that are cut off, compressed, more than one, or base64 that is none.
Result<std::string> read_message(Form form, std::string_view body);

struct Ending {
  int code = 0;
  std::string message;
  std::string details;
  std::vector<std::pair<std::string, std::string>> metadata;
};
// `response` is sent with code 0 alone.
std::string write_body(Form form, std::string_view response, const Ending& ending);

}  // namespace muster::http::grpc_web
