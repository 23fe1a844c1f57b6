// Secrets on the command line: others on the machine can read it, so that they are overwritten where they stand as soon as they
// have been copied. /proc/PID/cmdline and `ps` show asterisks from then on.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace muster::cli {

// A part of one argument.
struct SecretPart {
  std::size_t argument = 0;
  std::size_t from = 0;
  std::size_t size = 0;
};

// The values of --token, --key and -k, and passwords in database URLs, wherever they stand. Pure.
std::vector<SecretPart> secrets_in(const std::vector<std::string_view>& arguments);

// The arguments, the program's name left out. Secrets among them are overwritten in `argv`; then a line on stderr says that files
// and the environment are better places.
std::vector<std::string> take_arguments(int argc, char** argv);

}  // namespace muster::cli
