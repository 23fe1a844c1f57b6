// The stage of the keyspace's wire tests: the front with a client that is the operator.
#pragma once

#include <string>
#include <vector>

#include "fronts/resp/front_testing.h"

namespace muster::resp::keyspace {

using Words = std::vector<std::string>;

class KeyspaceFrontTest : public FrontTest {
 protected:
  void SetUp() override {
    start(options());
    wire_ = std::make_unique<Wire>(operate());
  }
  virtual RespOptions options() { return {}; }

  std::string call(const Words& words) { return wire_->call(words); }
  Wire speaking_resp3() {
    Wire wire = operate();
    wire.call({"HELLO", "3"});
    return wire;
  }
  // All replies of commands that were sent together.
  std::string pipeline(Wire& wire, const std::vector<Words>& commands) {
    std::string bytes;
    for (const Words& words : commands) bytes += frame(words);
    wire.send(bytes);
    std::string out;
    for (std::size_t i = 0; i < commands.size(); ++i) out += wire.read_reply();
    return out;
  }

  std::unique_ptr<Wire> wire_;
};

inline const std::string kOk = "+OK\r\n";
inline const std::string kNull = "$-1\r\n";
inline const std::string kNullArray = "*-1\r\n";
inline std::string number(std::int64_t value) { return ":" + std::to_string(value) + "\r\n"; }
inline std::string bulk(const std::string& text) { return "$" + std::to_string(text.size()) + "\r\n" + text + "\r\n"; }
inline std::string error(const std::string& text) { return "-ERR " + text + "\r\n"; }
inline std::string array(const Words& texts) {
  std::string out = "*" + std::to_string(texts.size()) + "\r\n";
  for (const std::string& text : texts) out += bulk(text);
  return out;
}
inline const std::string kWrongType = "-WRONGTYPE Operation against a key holding the wrong kind of value\r\n";

}  // namespace muster::resp::keyspace
