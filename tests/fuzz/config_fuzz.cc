// The configuration file: any bytes give values or problems with positions, never a crash.
#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>

#include <fmt/format.h>

#include "server/config.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const int file = ::memfd_create("muster.toml", 0);
  if (file < 0 || ::write(file, data, size) != static_cast<ssize_t>(size)) return 0;
  muster::server::LoadRequest request;
  request.file = fmt::format("/proc/self/fd/{}", file);
  const auto loaded = muster::server::load_config(request);
  for (const auto& problem : loaded.problems) (void)problem.text().size();
  ::close(file);
  return 0;
}
