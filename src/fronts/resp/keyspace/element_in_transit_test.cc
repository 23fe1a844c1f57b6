// Elements on their way: delivered, or given back.
#include "fronts/resp/keyspace/element_in_transit.h"

#include "fronts/resp/keyspace/keyspace_testing.h"

namespace muster::resp::keyspace {
namespace {

namespace key = store::key;
using store::KeyAnswer;
using store::ListEnd;

class ElementsInTransit : public KeyspaceFrontTest {
 protected:
  // What the store answers to one command.
  KeyAnswer ask(store::KeyCommand command) {
    std::promise<KeyAnswer> landed;
    store::KeyBatch batch;
    batch.commands.push_back(std::move(command));
    engine->keys().run(std::move(batch), [&landed](Result<std::vector<KeyAnswer>> answers) {
      landed.set_value(answers.ok() ? std::move(answers->front()) : KeyAnswer::refuse(answers.status().message()));
    });
    return landed.get_future().get();
  }
  ElementInTransit take(store::KeyCommand command) { return ElementInTransit(door->delivery(), command, ask(command)); }
  bool becomes(const std::string& list, const Words& elements) {
    return eventually([&] { return call({"LRANGE", list, "0", "-1"}) == array(elements); });
  }
};

TEST_F(ElementsInTransit, WhatIsDroppedGoesBackToItsEnd) {
  call({"RPUSH", "l", "a", "b", "c"});
  { const ElementInTransit element = take(key::Pop{.keys = {"l"}, .end = ListEnd::left, .with_key = true}); }
  EXPECT_TRUE(becomes("l", {"a", "b", "c"}));
  { const ElementInTransit element = take(key::Pop{.keys = {"none", "l"}, .end = ListEnd::right, .with_key = true}); }
  EXPECT_TRUE(becomes("l", {"a", "b", "c"}));
}

TEST_F(ElementsInTransit, WhatIsDeliveredStaysAway) {
  call({"RPUSH", "l", "a", "b"});
  {
    ElementInTransit element = take(key::Pop{.keys = {"l"}, .end = ListEnd::left, .with_key = true});
    EXPECT_EQ(element.answer().list.at(1).text, "a");
    ElementInTransit moved = std::move(element);
    moved.delivered();
  }
  // Whatever were given back would be there before this.
  EXPECT_EQ(call({"RPUSH", "l", "c"}), number(2));
}

TEST_F(ElementsInTransit, AMovedElementGoesBackToWhereItCameFrom) {
  call({"RPUSH", "from", "a", "v"});
  { const ElementInTransit element = take(key::Move{"from", "to", ListEnd::right, ListEnd::left}); }
  EXPECT_TRUE(becomes("from", {"a", "v"}));
  EXPECT_TRUE(becomes("to", {}));
}

TEST_F(ElementsInTransit, AMovedElementThatSomebodyTookMeanwhileIsNotDoubled) {
  call({"RPUSH", "from", "a", "v"});
  {
    const ElementInTransit element = take(key::Move{"from", "to", ListEnd::right, ListEnd::left});
    EXPECT_EQ(call({"LPOP", "to"}), bulk("v"));
  }
  EXPECT_TRUE(becomes("from", {"a"}));
  EXPECT_EQ(call({"EXISTS", "to"}), number(0));
}

TEST_F(ElementsInTransit, NothingIsGivenBackOfNothing) {
  { const ElementInTransit element = take(key::Pop{.keys = {"none"}, .end = ListEnd::left, .with_key = true}); }
  EXPECT_EQ(call({"EXISTS", "none"}), number(0));
}

}  // namespace
}  // namespace muster::resp::keyspace
