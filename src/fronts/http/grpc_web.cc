#include "fronts/http/grpc_web.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/ascii.h"
#include "base/base64.h"
#include "base/header_text.h"

namespace muster::http::grpc_web {
namespace {

constexpr std::size_t kHeadBytes = 5;  // flags, then the length
constexpr std::uint8_t kCompressed = 0x01;
constexpr std::uint8_t kTrailers = 0x80;

// Clients may encode piece by piece, each with its own padding.
std::optional<std::string> decode_pieces(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    std::size_t end = text.find('=');
    end = end == std::string_view::npos ? text.size() : std::min(text.size(), (end / 4 + 1) * 4);
    const auto piece = from_base64(text.substr(0, end));
    if (!piece) return std::nullopt;
    out += *piece;
    text.remove_prefix(end);
  }
  return out;
}

void add_frame(std::string& out, std::uint8_t flags, std::string_view bytes) {
  out += static_cast<char>(flags);
  for (const int shift : {24, 16, 8, 0}) out += static_cast<char>(bytes.size() >> shift & 0xFF);
  out += bytes;
}

Result<std::string> read_frames(std::string_view body) {
  std::optional<std::string> message;
  while (!body.empty()) {
    if (body.size() < kHeadBytes) return Status::invalid_argument("the body ends within the head of a gRPC-Web frame");
    const auto flags = static_cast<std::uint8_t>(body[0]);
    std::size_t length = 0;
    for (std::size_t i = 1; i < kHeadBytes; ++i) length = length << 8 | static_cast<unsigned char>(body[i]);
    body.remove_prefix(kHeadBytes);
    if (body.size() < length)
      return Status::invalid_argument(fmt::format("a gRPC-Web frame of {} bytes ends after {}", length, body.size()));
    if (flags == 0 && message) return Status::invalid_argument("the body holds more than one message; one is accepted");
    if ((flags & kCompressed) != 0) return Status::invalid_argument("compressed messages are not accepted");
    if (flags == 0)
      message = std::string(body.substr(0, length));
    else if (flags != kTrailers)
      return Status::invalid_argument(fmt::format("a gRPC-Web frame has the unknown flags {}", flags));
    body.remove_prefix(length);
  }
  if (!message) return Status::invalid_argument("the body holds no message");
  return *std::move(message);
}

}  // namespace

std::optional<Form> form_of(std::string_view content_type) {
  std::string kind = lower(content_type.substr(0, content_type.find(';')));
  while (!kind.empty() && kind.back() == ' ') kind.pop_back();
  if (kind == "application/grpc-web" || kind == "application/grpc-web+proto") return Form::binary;
  if (kind == "application/grpc-web-text" || kind == "application/grpc-web-text+proto") return Form::text;
  return std::nullopt;
}

std::string_view content_type(Form form) {
  return form == Form::binary ? "application/grpc-web+proto" : "application/grpc-web-text+proto";
}

Result<std::string> read_message(Form form, std::string_view body) {
  if (form == Form::binary) return read_frames(body);
  const auto bytes = decode_pieces(body);
  if (!bytes) return Status::invalid_argument("the body is not base64");
  return read_frames(*bytes);
}

std::string write_body(Form form, std::string_view response, const Ending& ending) {
  std::string out;
  out.reserve(response.size() + 64);
  if (ending.code == 0) add_frame(out, 0, response);
  std::string trailers = fmt::format("grpc-status:{}\r\n", ending.code);
  if (!ending.message.empty()) trailers += fmt::format("grpc-message:{}\r\n", percent_encoded(ending.message));
  if (!ending.details.empty()) trailers += fmt::format("grpc-status-details-bin:{}\r\n", to_unpadded_base64(ending.details));
  for (const auto& [name, value] : ending.metadata) trailers += fmt::format("{}:{}\r\n", name, value);
  add_frame(out, kTrailers, trailers);
  return form == Form::binary ? out : to_base64(out);
}

}  // namespace muster::http::grpc_web
