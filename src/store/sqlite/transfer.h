// Both ends of `muster store copy` for this store. The file is owned for as long as an end is open, so no server works on it.
#pragma once

#include <memory>
#include <string>

#include "base/status.h"
#include "store/transfer/copy.h"
#include "store/transfer/record.h"

namespace muster::store::sqlite {

// not_found: there is no file. conflict: a server owns it, it is half of a copy itself, or its schema must be brought up first.
// corrupt: it is damaged. invalid_argument: it is newer than this program, or another program's.
Result<std::unique_ptr<transfer::Source>> open_transfer_source(const std::string& path);
// Makes the file (0600) when there is none. Whether it may be filled is for begin() to say.
Result<std::unique_ptr<transfer::Sink>> open_transfer_sink(const std::string& path);

}  // namespace muster::store::sqlite
