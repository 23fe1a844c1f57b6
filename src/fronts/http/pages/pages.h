// The dashboard's files, as the program carries them (tools/build_pages.py), and the answers by which browsers get them.
//
// What lies under `assets/` has a hash of its content in its name and is kept by browsers for a year; everything else is asked
// for again and answered with 304 while it is the same. A path that is no file is one of the dashboard's own pages, which its
// script draws: it gets `index.html`. The files hold no data, so nobody needs a token for them. Immutable; any thread.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/embedded.h"
#include "fronts/http/request.h"
#include "fronts/http/response.h"

namespace muster::http {

class Pages {
 public:
  // `files` live as long as the program: "index.html", "assets/app-3f2a91bc.js", "assets/app-3f2a91bc.js.gz". `missing`: why
  // there are none.
  Pages(std::span<const embedded::File> files, std::string_view missing);

  // nullopt: nothing is there. REQUIRES: GET or HEAD, and no route of the server has the path.
  std::optional<Response> answer(const Request& request, std::string_view path) const;

 private:
  struct Page {
    std::string_view content_type;
    std::string_view plain;
    std::string_view gzip;    // empty: it would not be smaller
    std::string_view brotli;  // the same
    std::string tag;          // of its content, in quotes
    bool immutable = false;
  };
  const Page* find(std::string_view path) const;
  static Response answer_with(const Page& page, const Request& request);

  std::map<std::string, Page, std::less<>> pages_;  // by path, "/assets/app-3f2a91bc.js"
  std::string missing_;
};

}  // namespace muster::http
