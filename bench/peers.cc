#include "bench/peers.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include <fmt/format.h>

namespace muster::bench {
namespace {

constexpr int kInstallSeconds = 300;

std::string content_of(const std::filesystem::path& file) {
  std::ostringstream text;
  text << std::ifstream(file).rdbuf();
  return text.str();
}

}  // namespace

Peers install_peers(const Settings& settings) {
  const std::filesystem::path folder = std::filesystem::path(settings.folder).parent_path() / "peers";
  const std::filesystem::path stamp = folder / "installed.json";
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  using std::filesystem::copy_options;
  std::filesystem::copy(settings.peers, folder, copy_options::recursive | copy_options::overwrite_existing, error);
  if (error) return {"", fmt::format("the drivers of {} could not be copied: {}", settings.peers, error.message())};
  if (std::system("command -v node npm timeout >/dev/null 2>&1") != 0) return {"", "Node.js and npm are not installed"};
  const std::string wanted = content_of(folder / "package.json");
  if (content_of(stamp) == wanted) return {folder.string(), ""};
  const std::string command = fmt::format("cd '{}' && timeout {} npm install --no-audit --no-fund --loglevel=error >npm.log 2>&1",
                                          folder.string(), kInstallSeconds);
  if (std::system(command.c_str()) != 0) return {"", fmt::format("npm could not install it; see {}/npm.log", folder.string())};
  std::ofstream(stamp) << wanted;
  return {folder.string(), ""};
}

}  // namespace muster::bench
