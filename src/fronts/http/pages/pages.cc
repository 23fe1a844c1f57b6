#include "fronts/http/pages/pages.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/sha256.h"
#include "fronts/http/gzip.h"

namespace muster::http {
namespace {

constexpr std::string_view kIndex = "/index.html";
constexpr std::string_view kHashed = "/assets/";
constexpr std::size_t kTagDigits = 16;

// Scripts and styles are files of ours and nothing else; nobody may show the dashboard inside a page of theirs.
constexpr std::string_view kPolicy =
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; font-src 'self'; "
    "base-uri 'none'; form-action 'self'; frame-ancestors 'none'";

struct ContentType {
  std::string_view ending;
  std::string_view type;
};

constexpr std::array kContentTypes{
    ContentType{".html", "text/html; charset=utf-8"},
    ContentType{".js", "text/javascript; charset=utf-8"},
    ContentType{".css", "text/css; charset=utf-8"},
    ContentType{".svg", "image/svg+xml"},
    ContentType{".png", "image/png"},
    ContentType{".ico", "image/x-icon"},
    ContentType{".woff2", "font/woff2"},
    ContentType{".json", "application/json"},
    ContentType{".txt", "text/plain; charset=utf-8"},
};

std::string_view content_type_of(std::string_view name) {
  const auto found = std::find_if(kContentTypes.begin(), kContentTypes.end(),
                                  [&](const ContentType& each) { return name.ends_with(each.ending); });
  return found == kContentTypes.end() ? std::string_view("application/octet-stream") : found->type;
}

// Paths that only programs ask for, or that name a file of the root which is not there. Further below, a dot is part of a name: a
// worker is often called as its host.
bool is_page_path(std::string_view path) {
  for (const std::string_view of_programs : {"/api/", "/ws/", "/assets/", "/events/", "/metrics/"})
    if (path.starts_with(of_programs)) return false;
  return path.rfind('/') != 0 || path.find('.') == std::string_view::npos;
}

// `If-None-Match: "a", W/"b"` or `*` (RFC 9110).
bool names_tag(std::string_view header, std::string_view tag) {
  return header == "*" || header.find(tag) != std::string_view::npos;
}

Response text_page(unsigned status, std::string text) {
  return {.status = status,
          .content_type = "text/plain; charset=utf-8",
          .body = std::move(text),
          .headers = {{"Cache-Control", "no-store"}, {"X-Content-Type-Options", "nosniff"}}};
}

}  // namespace

Pages::Pages(std::span<const embedded::File> files, std::string_view missing) : missing_(missing) {
  for (const embedded::File& file : files) {
    const bool gzip = file.name.ends_with(".gz");
    const bool brotli = file.name.ends_with(".br");
    const std::string_view name = gzip || brotli ? file.name.substr(0, file.name.size() - 3) : file.name;
    Page& page = pages_[fmt::format("/{}", name)];
    if (gzip) {
      page.gzip = file.text;
    } else if (brotli) {
      page.brotli = file.text;
    } else {
      page.plain = file.text;
      page.content_type = content_type_of(name);
      page.tag = fmt::format("\"{}\"", sha256_hex(file.text).substr(0, kTagDigits));
    }
  }
  for (auto& [path, page] : pages_) page.immutable = path.starts_with(kHashed);
}

const Pages::Page* Pages::find(std::string_view path) const {
  const auto found = pages_.find(path);
  if (found != pages_.end()) return &found->second;
  if (!is_page_path(path)) return nullptr;
  const auto index = pages_.find(kIndex);
  return index == pages_.end() ? nullptr : &index->second;
}

std::optional<Response> Pages::answer(const Request& request, std::string_view path) const {
  if (const Page* page = find(path)) return answer_with(*page, request);
  if (!pages_.empty() || path != "/") return std::nullopt;
  return text_page(200, fmt::format("Muster runs, and was built without its dashboard: {}.\n\n"
                                    "Install nodejs and npm and build it again (./dev build) to see it here.\n"
                                    "What works without it: the muster command, /api/v1/openapi.json, /events and /metrics.\n",
                                    missing_.empty() ? "nobody gave it one" : missing_));
}

Response Pages::answer_with(const Page& page, const Request& request) {
  Response response{.status = 200, .content_type = page.content_type, .body = {}, .headers = {}};
  auto& headers = response.headers;
  headers.emplace_back("Cache-Control", page.immutable ? "public, max-age=31536000, immutable" : "no-cache");
  headers.emplace_back("ETag", page.tag);
  headers.emplace_back("Vary", "Accept-Encoding");
  headers.emplace_back("X-Content-Type-Options", "nosniff");
  headers.emplace_back("Referrer-Policy", "no-referrer");
  headers.emplace_back("Cross-Origin-Opener-Policy", "same-origin");
  headers.emplace_back("Cross-Origin-Resource-Policy", "same-origin");
  headers.emplace_back("Content-Security-Policy", kPolicy);
  if (names_tag(request.if_none_match, page.tag)) {
    response.status = 304;
    return response;
  }
  std::string_view body = page.plain;
  if (!page.brotli.empty() && accepts_encoding(request.accept_encoding, "br")) {
    body = page.brotli;
    headers.emplace_back("Content-Encoding", "br");
  } else if (!page.gzip.empty() && accepts_gzip(request.accept_encoding)) {
    body = page.gzip;
    headers.emplace_back("Content-Encoding", "gzip");
  }
  response.body = body;
  response.encoded = true;
  return response;
}

}  // namespace muster::http
