// The OpenAPI document, drawn from the routes, the commands' records and the descriptions that the codec reads and writes by.
#pragma once

#include <string>

namespace muster::http {

// Drawn once, at the first call; the text lives as long as the process.
const std::string& openapi_document();

}  // namespace muster::http
