// The specification's own test suite, as Debian packages it: every 2020-12 case of it but those named in kSkipped.
//
// A package that is missing fails the test. The suite refers to documents at localhost:1234 (its folder remotes/) and to the
// meta-schema, which another package brings; all of them are given as documents, since nothing is fetched.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>

#include "schema/schema.h"

namespace muster::schema {
namespace {

namespace fs = std::filesystem;
using Tree = json::Tree;

const fs::path kSuite = "/usr/share/perl5/auto/share/dist/Test-JSON-Schema-Acceptance";
const fs::path kTests = kSuite / "tests/draft2020-12";
const fs::path kMetaSchemas = "/usr/lib/python3/dist-packages/jsonschema/schemas";

struct Skipped {
  std::string_view file;
  std::string_view group;  // empty: all of the file
  std::string_view why;
};

constexpr std::array kSkipped{
    Skipped{"optional/cross-draft.json", "", "refers to schemas of other drafts, which are refused"},
    Skipped{"optional/dependencies-compatibility.json", "", "`dependencies` is no keyword of 2020-12"},
    Skipped{"optional/ecmascript-regex.json", "\\a is not an ECMA 262 control escape", "needs the format regex"},
    Skipped{"optional/format/duration.json", "", "not one of the formats that are asserted"},
    Skipped{"optional/format/hostname.json", "", "not one of the formats that are asserted"},
    Skipped{"optional/format/idn-email.json", "", "not one of the formats that are asserted"},
    Skipped{"optional/format/idn-hostname.json", "", "not one of the formats that are asserted"},
    Skipped{"optional/format/iri-reference.json", "", "not one of the formats that are asserted"},
    Skipped{"optional/format/iri.json", "", "not one of the formats that are asserted"},
    Skipped{"optional/format/regex.json", "", "not one of the formats that are asserted"},
    Skipped{"optional/format/relative-json-pointer.json", "", "not one of the formats that are asserted"},
    Skipped{"optional/format/uri-reference.json", "", "not one of the formats that are asserted"},
    Skipped{"optional/format/uri-template.json", "", "not one of the formats that are asserted"},
};

bool is_skipped(std::string_view file, std::string_view group) {
  return std::any_of(kSkipped.begin(), kSkipped.end(),
                     [&](const Skipped& entry) { return entry.file == file && (entry.group.empty() || entry.group == group); });
}

Tree read(const fs::path& path) {
  std::ifstream in(path);
  return json::parse(std::string(std::istreambuf_iterator<char>(in), {})).value_or(Tree());
}

std::vector<fs::path> json_files(const fs::path& folder) {
  std::vector<fs::path> out;
  std::error_code error;
  for (fs::recursive_directory_iterator at(folder, error), end; !error && at != end; at.increment(error))
    if (at->path().extension() == ".json") out.push_back(at->path());
  std::sort(out.begin(), out.end());
  return out;
}

std::vector<std::string> suite_files() {
  std::vector<std::string> out;
  for (const fs::path& path : json_files(kTests)) out.push_back(path.lexically_relative(kTests).string());
  return out;
}

// By URI: the suite's remotes and the meta-schema of 2020-12 with its vocabularies.
const std::map<std::string, Tree>& documents() {
  static const std::map<std::string, Tree> all = [] {
    std::map<std::string, Tree> out;
    for (const fs::path& path : json_files(kSuite / "remotes"))
      out.emplace("http://localhost:1234/" + path.lexically_relative(kSuite / "remotes").string(), read(path));
    out.emplace("https://json-schema.org/draft/2020-12/schema", read(kMetaSchemas / "draft2020-12.json"));
    const Tree vocabularies = read(kMetaSchemas / "vocabularies.json");
    for (auto at = vocabularies.begin(); at != vocabularies.end(); ++at) out.emplace(at.key(), *at);
    return out;
  }();
  return all;
}

class SchemaSuite : public testing::TestWithParam<std::string> {};

TEST(SchemaSuitePackage, IsInstalled) {
  EXPECT_GE(suite_files().size(), 70U) << kTests << " is what libtest-json-schema-acceptance-perl brings: ./dev setup";
  EXPECT_TRUE(documents().at("https://json-schema.org/draft/2020-12/schema").is_object()) << "python3-jsonschema: ./dev setup";
}

TEST(SchemaSuitePackage, HasEveryFileThatIsSkipped) {
  for (const Skipped& entry : kSkipped) EXPECT_TRUE(fs::exists(kTests / entry.file)) << entry.file << ": " << entry.why;
}

TEST_P(SchemaSuite, AnswersAsTheSpecificationDoes) {
  Options options{.assert_formats = GetParam().starts_with("optional/format/")};
  for (const auto& [uri, tree] : documents()) options.documents.push_back({uri, &tree});
  const Tree groups = read(kTests / GetParam());
  ASSERT_TRUE(groups.is_array());
  for (const Tree& group : groups) {
    const std::string name = group["description"];
    if (is_skipped(GetParam(), name)) continue;
    SCOPED_TRACE(name);
    const Result<Schema> schema = Schema::compile(group["schema"], options);
    ASSERT_TRUE(schema.ok()) << schema.status().text();
    for (const Tree& test : group["tests"]) {
      SCOPED_TRACE(test["description"].get<std::string>());
      const bool valid = test["valid"];
      EXPECT_EQ(schema->accepts(test["data"]), valid) << json::dump(test["data"]);
      const std::vector<Fault> faults = schema->faults(test["data"]);
      EXPECT_EQ(faults.empty(), valid) << (faults.empty() ? "no fault" : faults.front().keyword + ": " + faults.front().message);
      EXPECT_EQ(schema->check(test["data"]).ok(), valid);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Every, SchemaSuite, testing::ValuesIn(suite_files()), [](const auto& file) {
  std::string name = file.param.substr(0, file.param.size() - std::string_view(".json").size());
  std::replace_if(
      name.begin(), name.end(), [](char c) { return !std::isalnum(static_cast<unsigned char>(c)); }, '_');
  return name;
});

}  // namespace
}  // namespace muster::schema
