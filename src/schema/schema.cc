#include "schema/schema.h"

#include <fmt/format.h>

#include "schema/compiler.h"
#include "schema/program.h"
#include "schema/text_walk.h"
#include "schema/walk.h"

namespace muster::schema {

Result<Schema> Schema::compile(const json::Tree& document, const Options& options) {
  if (options.steps < 1 || options.steps > kStepsMax)
    return Status::invalid_argument(fmt::format("a schema's steps are {}; accepted are 1 to {}", options.steps, kStepsMax));
  Compiler compiler(options);
  Result<Program> program = compiler.compile(document);
  if (!program.ok()) return program.status();
  return Schema(std::make_shared<const Program>(std::move(*program)));
}

bool Schema::accepts(const json::Tree& instance) const { return Walk(*program_, nullptr).accepts(instance); }

bool Schema::surely_accepts(std::string_view json) const { return TextWalk(*program_).accepts(json); }

std::vector<Fault> Schema::faults(const json::Tree& instance) const {
  std::vector<Fault> found;
  (void)Walk(*program_, &found).accepts(instance);
  return found;
}

Status Schema::check(const json::Tree& instance) const {
  if (accepts(instance)) return {};
  const std::vector<Fault> found = faults(instance);
  const Fault& first = found.front();
  if (first.instance.empty()) return Status::invalid_argument(first.message);
  return Status::invalid_argument(fmt::format("{}: {}", std::string_view(first.instance).substr(1), first.message));
}

}  // namespace muster::schema
