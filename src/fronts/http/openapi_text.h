// The document under the name by which its endpoint looks for it.
#pragma once

#include <array>

#include "base/embedded.h"
#include "fronts/http/openapi/document.h"

namespace muster::embedded {

inline std::array<File, 1> openapi_text() { return {File{.name = "openapi.json", .text = http::openapi_document()}}; }

}  // namespace muster::embedded
