// The fingerprint by which a worker in mtls mode names its certificate.
#pragma once

#include <string>

#include "sdk/cpp/result.h"

namespace muster::sdk::ws {

// SHA-256 of the first certificate of a PEM file, 64 hexadecimal digits. invalid_argument: it holds none.
Result<std::string> certificate_fingerprint(const std::string& pem_file);

}  // namespace muster::sdk::ws
