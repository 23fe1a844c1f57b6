#include "command/speaker.h"

#include <gtest/gtest.h>

#include <array>

namespace muster::command {
namespace {

constexpr Fence kNow{7};
constexpr Fence kBefore{6};

struct Case {
  const char* name;
  Speaker speaker;
  Holder holder;
  Standing expected;
};

constexpr std::array kCases{
    Case{"the current fence", {kNow}, {kNow, true}, Standing::holder},
    Case{"the current fence from another worker's connection", {kNow, ActsAs::others}, {kNow, true}, Standing::holder},
    Case{"the current fence from a connection of nobody", {kNow, ActsAs::nobody}, {kNow, true}, Standing::holder},
    Case{"an old fence", {kBefore}, {kNow, true}, Standing::late},
    Case{"an old fence from the holder's own connection", {kBefore, ActsAs::holder}, {kNow, true}, Standing::late},
    Case{"an old fence while the holder is away", {kBefore}, {kNow, false}, Standing::late},
    Case{"the holder's connection", {{}, ActsAs::holder}, {kNow, true}, Standing::holder},
    Case{"the holder's connection, after it broke", {{}, ActsAs::holder}, {kNow, false}, Standing::holder},
    Case{"another worker's connection", {{}, ActsAs::others}, {kNow, true}, Standing::late},
    Case{"another worker's connection while the holder is away", {{}, ActsAs::others}, {kNow, false}, Standing::late},
    Case{"nobody's connection beside the holder's", {{}, ActsAs::nobody}, {kNow, true}, Standing::stranger},
    Case{"nobody's connection while the holder is away", {{}, ActsAs::nobody}, {kNow, false}, Standing::stand_in},
};

TEST(Standing, AFenceDecidesThenTheConnectionThenWhetherTheHolderIsThere) {
  for (const Case& each : kCases) EXPECT_EQ(standing_of(each.speaker, each.holder), each.expected) << each.name;
}

}  // namespace
}  // namespace muster::command
