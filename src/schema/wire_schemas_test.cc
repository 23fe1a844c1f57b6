// The schemas of the WebSocket wire (docs/schema): each compiles, takes what real peers send, and refuses what comes close.
//
// Frames are those of tests/transcripts/ws/*.jsonl, which real peers have exchanged; payloads and their near misses stand in
// payloads.txt beside them.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <sstream>

#include "schema/schema_testing.h"

namespace muster::schema {
namespace {

namespace fs = std::filesystem;
using json::Tree;

const fs::path kSchemas = "docs/schema";
const fs::path kTranscripts = "tests/transcripts/ws";

std::string text_of(const fs::path& path) {
  std::ifstream in(path);
  EXPECT_TRUE(in) << path << " cannot be read from " << fs::current_path();
  return {std::istreambuf_iterator<char>(in), {}};
}

// By folder and file name.
const std::map<std::string, Schema>& wire_schemas() {
  static const std::map<std::string, Schema> all = [] {
    std::map<std::string, Schema> out;
    for (const auto& entry : fs::recursive_directory_iterator(kSchemas))
      if (entry.path().extension() == ".json")
        out.emplace(entry.path().lexically_relative(kSchemas), compiled(text_of(entry.path()), {.assert_formats = true}));
    return out;
  }();
  return all;
}

// Which schema judges the payload of a type, per protocol.
std::string payload_schema(std::string_view type, bool second) {
  constexpr std::string_view kControl = "control.";
  constexpr std::string_view kBusiness = "biz.";
  if (!second) return fmt::format("ws/ws.{}.schema.json", type == "command.error" ? "error" : type);
  if (type.starts_with(kBusiness)) return fmt::format("biz/{}.schema.json", type.substr(kBusiness.size()));
  const std::string_view name = type.substr(kControl.size());
  const bool session = name == "resume" || name == "reset" || name == "drain";
  return fmt::format("session/{}{}.schema.json", session ? "session." : "", name);
}

TEST(WireSchemas, AreAllThere) {
  EXPECT_EQ(wire_schemas().size(), 15U + 9U + 11U);
  for (const auto& [name, schema] : wire_schemas()) {
    const Tree document = tree(text_of(kSchemas / name));
    EXPECT_EQ(document["$id"], "/schemas/" + name);
    EXPECT_EQ(document["$schema"], "https://json-schema.org/draft/2020-12/schema") << name;
  }
}

TEST(WireSchemas, TakeEveryFrameThatRealPeersExchange) {
  std::size_t frames = 0;
  for (const auto& entry : fs::directory_iterator(kTranscripts)) {
    if (entry.path().extension() != ".jsonl") continue;
    SCOPED_TRACE(entry.path().string());
    const bool second = !entry.path().stem().string().starts_with("v1");
    std::istringstream lines(text_of(entry.path()));
    for (std::string line; std::getline(lines, line);) {
      const Tree step = tree(line);
      ASSERT_TRUE(step["from"] == "worker" || step["from"] == "server") << line;
      const Tree* frame = json::member(step, "frame");
      if (frame == nullptr) continue;  // a close
      ++frames;
      const Schema& envelope = wire_schemas().at(second ? "session/envelope.schema.json" : "ws/ws.envelope.schema.json");
      EXPECT_EQ(fault(envelope, *frame), "") << line;
      const std::string name = payload_schema((*frame)["type"].get<std::string>(), second);
      ASSERT_TRUE(wire_schemas().contains(name)) << name;
      EXPECT_EQ(fault(wire_schemas().at(name), (*frame)["payload"]), "") << line;
    }
  }
  EXPECT_GE(frames, 35U);
}

TEST(WireSchemas, KeepTheSecondProtocolsNumbersOutOfTheFirst) {
  std::istringstream lines(text_of(kTranscripts / "v2.jsonl"));
  for (std::string line; std::getline(lines, line);) {
    const Tree step = tree(line);
    if (!step.contains("frame") || !step["frame"].contains("session_seq")) continue;
    EXPECT_FALSE(wire_schemas().at("ws/ws.envelope.schema.json").accepts(step["frame"])) << line;
  }
}

// What a busy worker says is judged without a tree.
TEST(WireSchemas, TakeResultsByTheirTextAlone) {
  const Schema& second = wire_schemas().at("biz/exec.result.schema.json");
  constexpr std::string_view kUsual =
      R"({"run_id": "r", "task_id": "t", "status": "SUCCEEDED", "result": {"x": [1.5, -2]}, "duration_ms": 0, )"
      R"("metadata": {"concurrency_key": "r:n", "constraints": {}}, "artifacts": [], "error": null})";
  EXPECT_TRUE(second.surely_accepts(kUsual));
  EXPECT_TRUE(second.accepts(tree(std::string(kUsual))));
  EXPECT_TRUE(wire_schemas().at("ws/ws.result.schema.json").surely_accepts(kUsual));
}

// The last accepted payload with one member set or, when `value` is empty, taken away.
Tree changed(Tree payload, const std::string& pointer, const std::string& value) {
  const Tree::json_pointer at(pointer);
  if (!value.empty()) {
    payload[at] = tree(value);
  } else {
    EXPECT_TRUE(payload.contains(at)) << pointer << " is not there";
    payload[at.parent_pointer()].erase(at.back());
  }
  return payload;
}

TEST(WireSchemas, RefuseWhatComesClose) {
  std::map<std::string, std::size_t> refused;
  std::string name;
  Tree payload;
  std::istringstream lines(text_of(kTranscripts / "payloads.txt"));
  for (std::string line; std::getline(lines, line);) {
    if (line.empty() || line.front() == '#') continue;
    SCOPED_TRACE(name + " " + line);
    const std::string rest = line.substr(2);
    if (line.front() == '=') {
      name = rest;
      ASSERT_TRUE(wire_schemas().contains(name));
    } else if (line.front() == '+') {
      payload = tree(rest);
      EXPECT_EQ(fault(wire_schemas().at(name), payload), "");
    } else {
      const std::size_t space = std::min(rest.find(' '), rest.size());
      const std::string value = space < rest.size() ? rest.substr(space + 1) : "";
      const std::string found = fault(wire_schemas().at(name), changed(payload, rest.substr(0, space), value));
      EXPECT_EQ(found.empty(), line.front() == '~') << found;
      const std::string text = json::dump(changed(payload, rest.substr(0, space), value));
      EXPECT_TRUE(found.empty() || !wire_schemas().at(name).surely_accepts(text));
      refused[name] += line.front() == '-' ? 1 : 0;
    }
  }
  for (const auto& [file, schema] : wire_schemas()) EXPECT_GE(refused[file], 3U) << file << " has too few near misses";
}

}  // namespace
}  // namespace muster::schema
