#include "schema/pattern.h"

#include <fmt/format.h>
#include <re2/re2.h>

#include "schema/schema.h"
#include "schema/value.h"

namespace muster::schema {
namespace {

// At worst every byte looks at every instruction; so many of these looks are a step.
constexpr std::uint64_t kLooksPerStep = 64;

}  // namespace

Pattern::Pattern(std::string source, std::unique_ptr<re2::RE2> compiled)
    : source_(std::move(source)), compiled_(std::move(compiled)), size_(static_cast<std::uint64_t>(compiled_->ProgramSize())) {}
Pattern::Pattern(Pattern&&) noexcept = default;
Pattern::~Pattern() = default;

Result<Pattern> Pattern::compile(std::string_view source) {
  if (source.size() > kPatternBytesMax)
    return Status::invalid_argument(fmt::format("a pattern of {} bytes; accepted are {}", source.size(), kPatternBytesMax));
  const Result<std::string> text = translated(source);
  if (!text.ok()) return text.status().annotate(fmt::format("the pattern {}", in_quotes(source)));
  re2::RE2::Options options;
  options.set_log_errors(false);
  options.set_max_mem(static_cast<std::int64_t>(kPatternMemoryMax));
  auto compiled = std::make_unique<re2::RE2>(*text, options);
  if (!compiled->ok())
    return Status::invalid_argument(fmt::format("the pattern {} is not supported: {}", in_quotes(source), compiled->error()));
  return Pattern(std::string(source), std::move(compiled));
}

bool Pattern::matches(std::string_view text) const {
  return compiled_->Match(re2::StringPiece(text.data(), text.size()), 0, text.size(), re2::RE2::UNANCHORED, nullptr, 0);
}

std::uint64_t Pattern::cost(std::size_t bytes) const { return 1 + bytes * size_ / kLooksPerStep; }

}  // namespace muster::schema
