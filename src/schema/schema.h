// JSON Schema 2020-12, compiled once and asked often: what a frame of the WebSocket front may hold, and what a tool of an agent
// takes.
//
// Schemas are written by users and instances by anybody: both are held to bounds, and no answer takes longer than its steps
// allow. Nothing is ever fetched; a reference leads into the schema itself or to a document that the caller gave. `format` says
// nothing about validity unless asked to; content* never does. docs/decisions/0017 says why this validator is our own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/json_reader.h"
#include "base/status.h"

namespace muster::schema {

inline constexpr std::size_t kSchemaValuesMax = 100'000;         // JSON values of all documents that a schema uses
inline constexpr std::size_t kSchemaBytesMax = 4 * 1024 * 1024;  // bytes of their texts and names
inline constexpr std::size_t kSubschemasMax = 50'000;            // of all documents that a schema uses
inline constexpr std::size_t kUriBytesMax = 2 * 1024;            // of an $id, resolved
inline constexpr std::size_t kPatternsMax = 128;                 // different ones of a schema
inline constexpr std::size_t kPatternBytesMax = 4 * 1024;        // of one
inline constexpr std::size_t kPatternMemoryMax = 512 * 1024;     // bytes that one compiled pattern takes, caches included
inline constexpr std::size_t kRecursionMax = 1'000;              // subschemas within each other while an instance is judged
inline constexpr std::uint64_t kStepsDefault = 1'000'000;        // some 10 to 50 ms
inline constexpr std::uint64_t kStepsMax = 1'000'000'000;
inline constexpr std::size_t kFaultsMax = 32;      // listed for one instance
inline constexpr std::size_t kFaultTextMax = 512;  // bytes of each text of a fault; what is longer is cut

// Where a value breaks a schema. `instance` is a JSON pointer into the value, `keyword` one into the schema, behind "URI#" when
// the keyword stands in another document. `message` is for people: it names the value and what is accepted.
struct Fault {
  std::string instance;
  std::string keyword;
  std::string message;
};

// A document that references may name. Read while compiling only.
struct Document {
  std::string_view uri;
  const json::Tree* tree = nullptr;
};

struct Options {
  std::vector<Document> documents = {};
  bool assert_formats = false;          // those of format.h; every other format stays an annotation
  std::uint64_t steps = kStepsDefault;  // of one judgement, 1 to kStepsMax
};

struct Program;

// Immutable; may be used by many threads at once. Copies share the compiled program, which lives as long as the last of them.
//
// Trees are at most as deep as json::parse makes them (json::kDepthMax); a deeper one is refused where it is followed that far.
class Schema {
 public:
  // invalid_argument: not a schema (which keyword, where, what is accepted), a reference to what is not there or that leads back
  // to itself, a pattern that is not supported, a dialect that is not 2020-12, or over a bound.
  static Result<Schema> compile(const json::Tree& document, const Options& options = {});

  // Whether faults() would be empty, without saying why. Allocates only for uniqueItems, propertyNames and unevaluated*.
  bool accepts(const json::Tree& instance) const;
  // The same for a value of which there is no tree yet, without making one. False: the tree must be asked.
  // REQUIRES: the text of one JSON value, without blanks around it.
  bool surely_accepts(std::string_view json) const;
  // At most kFaultsMax. A judgement that runs out of steps or into too deep a recursion is a fault that says so.
  std::vector<Fault> faults(const json::Tree& instance) const;
  // ok, or invalid_argument with the first fault: "metrics/inflight: -1 is below the minimum 0".
  Status check(const json::Tree& instance) const;

 private:
  explicit Schema(std::shared_ptr<const Program> program) : program_(std::move(program)) {}

  std::shared_ptr<const Program> program_;
};

}  // namespace muster::schema
