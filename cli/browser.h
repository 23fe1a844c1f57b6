// The reader's own browser, on a machine with a desktop.
#pragma once

#include <string>

namespace muster::cli {

// Hands the address to the desktop's opener (xdg-open) and does not wait for it. False: there is no desktop here, or no opener.
// Other users of the machine may see the address among its processes, so a secret in it must be worth nothing once it was used.
bool open_in_browser(const std::string& address);

}  // namespace muster::cli
