#include "fronts/resp/work/top_level.h"

#include <algorithm>
#include <utility>

#include "base/json_reader.h"

namespace muster::resp::work {
namespace {

using Json = json::Tree;

// Follows the parser and keeps what stands directly in the outermost object.
class Reader final : public nlohmann::json_sax<Json> {
 public:
  TopLevel top;

  bool null() override { return value(Member::Kind::null); }
  bool boolean(bool) override { return value(Member::Kind::boolean); }
  bool number_integer(number_integer_t given) override { return number(static_cast<double>(given), true); }
  bool number_unsigned(number_unsigned_t given) override { return number(static_cast<double>(given), true); }
  bool number_float(number_float_t given, const string_t&) override { return number(given, false); }
  bool string(string_t& given) override {
    if (!value(Member::Kind::text)) return false;
    if (depth_ == 1) top.members.back().text = std::move(given);
    return true;
  }
  bool binary(binary_t&) override { return false; }
  bool start_object(std::size_t) override {
    if (depth_ > 0 && !value(Member::Kind::object)) return false;
    return ++depth_ <= json::kDepthMax;
  }
  bool key(string_t& name) override {
    if (depth_ == 1) name_ = std::move(name);
    return true;
  }
  bool end_object() override { return leave(); }
  bool start_array(std::size_t) override {
    if (!value(Member::Kind::array)) return false;
    return ++depth_ <= json::kDepthMax;
  }
  bool end_array() override { return leave(); }
  bool parse_error(std::size_t, const std::string&, const nlohmann::detail::exception&) override { return false; }

 private:
  // False ends the parsing: the outermost value is no object.
  bool value(Member::Kind kind) {
    if (depth_ == 0) return false;
    if (depth_ == 1) top.members.push_back({.name = std::move(name_), .kind = kind, .number = 0, .whole = false, .text = {}});
    return true;
  }
  bool number(double given, bool whole) {
    if (!value(Member::Kind::number)) return false;
    if (depth_ == 1) {
      top.members.back().number = given;
      top.members.back().whole = whole;
    }
    return true;
  }
  bool leave() {
    --depth_;
    return true;
  }

  std::size_t depth_ = 0;
  std::string name_;
};

}  // namespace

const Member* TopLevel::find(std::string_view name) const {
  const auto at = std::find_if(members.rbegin(), members.rend(), [&](const Member& member) { return member.name == name; });
  return at == members.rend() ? nullptr : &*at;
}

std::optional<TopLevel> read_top_level(std::string_view text) {
  Reader reader;
  if (!Json::sax_parse(text, &reader)) return std::nullopt;
  return std::move(reader.top);
}

}  // namespace muster::resp::work
