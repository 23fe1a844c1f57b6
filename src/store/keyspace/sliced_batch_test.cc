// Batches slice by slice, over plain rows.
#include "store/keyspace/sliced_batch.h"

#include <gtest/gtest.h>

#include "store/keyspace/memory_rows_testing.h"

namespace muster::store::keyspace {
namespace {

class PlainBatch final : public SlicedBatch {
 public:
  PlainBatch(KeyRows& rows, KeyBatch batch, Reply<std::vector<KeyAnswer>> reply)
      : SlicedBatch(std::move(batch), std::move(reply)), rows_(rows) {}

 private:
  void run_slice(Reply<Part> done) override { run_part(slice(), std::move(done)); }
  void run_long(Reply<Part> done) override { run_part(long_reads(), std::move(done)); }
  void run_part(Run what, Reply<Part> done) {
    what.now = from_ms(1'700'000'000'000);
    Ran ran = run(rows_, what);
    done(Part{std::move(ran.answers), ran.long_read});
  }
  KeyRows& rows_;
};

class SlicedBatches : public ::testing::Test {
 protected:
  std::vector<KeyAnswer> answers(std::vector<KeyCommand> commands, KeySpace space = KeySpace::clients) {
    std::vector<KeyAnswer> out;
    std::make_shared<PlainBatch>(rows, KeyBatch{.space = space, .commands = std::move(commands)},
                                 [&out](Result<std::vector<KeyAnswer>> all) { out = *std::move(all); })
        ->start();
    return out;
  }
  MemoryRows rows;
};

TEST_F(SlicedBatches, ABatchOfClientsEndsWhereItsAnswersAreEnough) {
  const std::string text(5 * 1024 * 1024, 'x');
  answers({key::Set{.key = "k", .value = text}, key::Set{.key = "n", .value = "0"}});
  std::vector<KeyCommand> commands(5, key::Get{"k"});
  commands.emplace_back(key::Increment{"n"});
  EXPECT_EQ(answers(commands).size(), 4u) << "the fourth passes 16 MiB and is the last";
  EXPECT_EQ(answers({key::Get{"n"}}).at(0).text, "0") << "what has no answer was not run";
  EXPECT_EQ(answers(commands, KeySpace::internal).size(), 6u) << "the fronts' own batches are never taken apart";
}

}  // namespace
}  // namespace muster::store::keyspace
