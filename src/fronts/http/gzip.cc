#include "fronts/http/gzip.h"

#include <zlib.h>

#include <algorithm>
#include <limits>

#include "base/ascii.h"

namespace muster::http {
namespace {

constexpr int kLevel = 1;                 // the loop's thread compresses: speed before size
constexpr int kGzipWindowBits = 15 + 16;  // the largest window, with a gzip header
constexpr int kMemoryLevel = 8;

bool quality_is_zero(std::string_view parameters) {
  const std::size_t at = parameters.find("q=");
  if (at == std::string_view::npos) return false;
  const std::string_view value = trimmed(parameters.substr(at + 2));
  return value.starts_with('0') && value.find_first_not_of("0.") == std::string_view::npos;
}

}  // namespace

bool accepts_gzip(std::string_view accept_encoding) { return accepts_encoding(accept_encoding, "gzip"); }

bool accepts_encoding(std::string_view accept_encoding, std::string_view coding) {
  std::optional<bool> any;
  while (!accept_encoding.empty()) {
    const std::string_view entry = accept_encoding.substr(0, accept_encoding.find(','));
    accept_encoding.remove_prefix(std::min(accept_encoding.size(), entry.size() + 1));
    const std::size_t semicolon = entry.find(';');
    std::string_view named = trimmed(entry.substr(0, semicolon));
    if (named == "x-gzip") named = "gzip";
    const bool allowed = semicolon == std::string_view::npos || !quality_is_zero(entry.substr(semicolon + 1));
    if (named == coding) return allowed;
    if (named == "*") any = allowed;
  }
  return any.value_or(false);
}

struct Gzip::State {
  z_stream stream{};
  bool usable = false;
};

Gzip::Gzip() : state_(std::make_unique<State>()) {
  state_->usable = deflateInit2(&state_->stream, kLevel, Z_DEFLATED, kGzipWindowBits, kMemoryLevel, Z_DEFAULT_STRATEGY) == Z_OK;
}

Gzip::~Gzip() {
  if (state_->usable) deflateEnd(&state_->stream);
}

std::optional<std::string> Gzip::compress(std::string_view text) {
  z_stream& stream = state_->stream;
  if (!state_->usable || deflateReset(&stream) != Z_OK) return std::nullopt;
  std::string out(deflateBound(&stream, text.size()), '\0');
  // zlib takes a pointer to mutable bytes and does not write through it.
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  if (text.size() > std::numeric_limits<uInt>::max() || deflate(&stream, Z_FINISH) != Z_STREAM_END) return std::nullopt;
  out.resize(stream.total_out);
  if (out.size() >= text.size()) return std::nullopt;
  return out;
}

}  // namespace muster::http
