// Schemas and values from anybody: nothing crashes, recurses for ever or takes long, and every way to ask gets the same answer.
//
// The input is a schema, a line feed, and a value.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "base/json_reader.h"
#include "base/json_text.h"
#include "schema/schema.h"

using namespace muster;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const std::size_t line = text.find('\n');
  if (line == text.npos) return 0;
  const auto document = json::parse(text.substr(0, line));
  const auto value = json::parse(text.substr(line + 1));
  if (!document || !value) return 0;
  // Other documents are one more: the value itself.
  const schema::Options options{.documents = {{"x:value", &*value}}, .assert_formats = size % 2 == 0, .steps = 20'000};
  const Result<schema::Schema> compiled = schema::Schema::compile(*document, options);
  if (!compiled.ok()) {
    check(compiled.code() == Code::invalid_argument && !compiled.status().message().empty(), "a refusal says why");
    return 0;
  }
  const auto faults = compiled->faults(*value);
  check(compiled->accepts(*value) == faults.empty(), "what is accepted has no faults, and the other way round");
  check(compiled->check(*value).ok() == faults.empty(), "a check says the same");
  // As frames bring it: without blanks around it, and known to be JSON.
  std::string_view json = text.substr(line + 1);
  const std::size_t begin = json.find_first_not_of(" \t\r\n");
  const std::size_t end = json.find_last_not_of(" \t\r\n") + 1;
  json = json.substr(begin, end - begin);
  if (json::is_surely_json(json) && compiled->surely_accepts(json)) check(faults.empty(), "the short way accepts no more");
  check(faults.size() <= schema::kFaultsMax, "faults are bounded");
  for (const schema::Fault& fault : faults) {
    check(!fault.message.empty() && fault.message.size() <= schema::kFaultTextMax, "a fault says what is wrong");
    check(fault.instance.empty() || fault.instance.front() == '/', "a fault says where");
  }
  return 0;
}
