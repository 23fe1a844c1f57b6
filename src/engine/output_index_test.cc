#include "engine/output_index.h"

#include <gtest/gtest.h>

namespace muster::engine {
namespace {

ArrivedChunk arrived(OutputChannel channel, std::string data) {
  ArrivedChunk out;
  out.chunk.channel = channel;
  out.chunk.data = std::move(data);
  return out;
}

std::vector<ArrivedChunk> many(std::size_t count, std::size_t bytes, OutputChannel channel = OutputChannel::output) {
  std::vector<ArrivedChunk> out;
  for (std::size_t i = 0; i < count; ++i) out.push_back(arrived(channel, std::string(bytes, 'x')));
  return out;
}

// The hash that the changes make.
class Written {
 public:
  void apply(const OutputIndex::Change& change) {
    for (const std::string& field : change.removed) EXPECT_EQ(fields_.erase(field), 1U) << field;
    for (const store::KeyPair& pair : change.written) fields_[pair.first] = pair.second;
  }
  OutputPage read(const PageAsked& asked, std::size_t blocks = 1'000) const {
    std::vector<store::KeyPair> scanned;
    auto it = fields_.upper_bound(fields_behind(asked.after));
    for (; it != fields_.end() && scanned.size() < blocks; ++it) scanned.push_back({it->first, it->second});
    return page_of(asked, scanned, it == fields_.end());
  }
  std::vector<std::string> fields() const {
    std::vector<std::string> out;
    for (const auto& [field, block] : fields_) out.push_back(field);
    return out;
  }

 private:
  std::map<std::string, std::string> fields_;
};

std::string text_of(const OutputPage& page) {
  std::string out;
  for (const OutputChunk& chunk : page.chunks) out += chunk.data;
  return out;
}

TEST(OutputIndex, ChunksOfAllChannelsAreReadInTheOrderInWhichTheyCame) {
  OutputIndex index;
  Written written;
  written.apply(index.append(
      {arrived(OutputChannel::output, "a"), arrived(OutputChannel::errors, "b"), arrived(OutputChannel::output, "c")}));
  written.apply(index.append({arrived(OutputChannel::errors, "d"), arrived(OutputChannel::llm, "e")}));
  EXPECT_EQ(text_of(written.read({})), "abcde");
  EXPECT_EQ(text_of(written.read({.channel = OutputChannel::errors})), "bd");
}

TEST(OutputIndex, ReadersOfAnyPageSizeAndAnyScanSeeEveryChunkOnce) {
  OutputIndex index({.part_bytes = 3});
  Written written;
  std::string all;
  for (char c = 'a'; c <= 'z'; ++c) {
    const auto channel = static_cast<OutputChannel>(c % kOutputChannels);
    const auto other = static_cast<OutputChannel>((c + 1) % kOutputChannels);
    written.apply(index.append({arrived(channel, std::string(1, c)), arrived(other, "."), arrived(channel, "!")}));
    all += std::string(1, c) + ".!";
  }
  for (std::size_t limit : {1U, 2U, 5U, 100U}) {
    for (std::size_t blocks : {7U, 8U, 50U}) {
      std::string read;
      std::uint64_t after = 0;
      for (int turns = 0; turns < 200; ++turns) {
        const OutputPage page = written.read({.after = after, .limit = limit}, blocks);
        read += text_of(page);
        after = page.next;
        if (!page.more) break;
      }
      EXPECT_EQ(read, all) << limit << " chunks, " << blocks << " blocks";
    }
  }
}

TEST(OutputIndex, AChunkKeepsWhatItsWorkerSaidOfIt) {
  OutputChunk chunk{.number = 1,
                    .channel = OutputChannel::custom,
                    .data = std::string("\x89PNG\0", 5),
                    .text = false,
                    .index = 7,
                    .mime_type = "image/png",
                    .metadata = R"({"description":"d"})",
                    .terminal = true,
                    .fence = Fence{42},
                    .at = from_ms(1'700'000'000'123)};
  std::vector<OutputChunk> read;
  decode_chunks(encode_chunks({chunk}), OutputChannel::custom, 0, read);
  EXPECT_EQ(read, std::vector{chunk});
}

TEST(OutputIndex, OverTheBoundOfAChannelItsOldestGoAndAreCounted) {
  OutputIndex index({.channel_bytes = 100, .part_bytes = 10});
  Written written;
  written.apply(index.append({arrived(OutputChannel::errors, "kept")}));
  for (int i = 0; i < 30; ++i) written.apply(index.append(many(1, 10)));
  const OutputLoss& lost = index.head().lost[static_cast<std::size_t>(OutputChannel::output)];
  EXPECT_EQ(lost, (OutputLoss{.chunks = 20, .bytes = 200, .until = 21}));
  EXPECT_EQ(index.head().lost[static_cast<std::size_t>(OutputChannel::errors)], OutputLoss());
  const OutputPage page = written.read({.channel = OutputChannel::output});
  ASSERT_EQ(page.chunks.size(), 10U);
  EXPECT_EQ(page.chunks.front().number, 22U);
  EXPECT_EQ(text_of(written.read({.channel = OutputChannel::errors})), "kept");
}

TEST(OutputIndex, OverTheBoundOfTheJobTheChannelThatHoldsMostGivesUpItsOldest) {
  OutputIndex index({.channel_bytes = 100, .bytes = 120, .part_bytes = 10});
  Written written;
  written.apply(index.append(many(3, 10, OutputChannel::llm)));
  written.apply(index.append(many(10, 10)));
  EXPECT_EQ(index.bytes(), 120U);
  EXPECT_EQ(index.head().lost[static_cast<std::size_t>(OutputChannel::output)].chunks, 1U);
  EXPECT_EQ(index.head().lost[static_cast<std::size_t>(OutputChannel::llm)].chunks, 0U);
}

TEST(OutputIndex, ChunksAndBlocksAreBoundedToo) {
  OutputIndex by_chunks({.chunks = 5, .part_bytes = 1});
  OutputIndex by_blocks({.blocks = 5, .part_bytes = 1});
  by_chunks.append(many(8, 1));
  by_blocks.append(many(8, 1));
  EXPECT_EQ(by_chunks.bytes(), 5U);
  EXPECT_EQ(by_blocks.bytes(), 5U);
}

TEST(OutputIndex, WhatCameAndWentInOneWriteIsNeverWritten) {
  OutputIndex index({.channel_bytes = 30, .part_bytes = 10});
  const OutputIndex::Change change = index.append(many(10, 10));
  EXPECT_EQ(change.written.size(), 3U);
  EXPECT_TRUE(change.removed.empty());
}

TEST(OutputIndex, AChunkThatIsTooLongOrHadNoRoomIsAGap) {
  OutputIndex index({.chunk_bytes = 10});
  std::vector<ArrivedChunk> chunks = many(1, 11);
  chunks.push_back(arrived(OutputChannel::output, "fits"));
  chunks.push_back({.chunk = {}, .lost_bytes = 5'000});
  Written written;
  written.apply(index.append(std::move(chunks)));
  EXPECT_EQ(index.head().lost[0], (OutputLoss{.chunks = 2, .bytes = 5'011, .until = 3}));
  const OutputPage page = written.read({});
  ASSERT_EQ(page.chunks.size(), 1U);
  EXPECT_EQ(page.chunks.front().number, 2U);
}

TEST(OutputIndex, GoesOnFromWhatAStoreHolds) {
  const OutputBounds bounds{.channel_bytes = 50, .part_bytes = 10};
  OutputIndex before(bounds);
  Written written;
  written.apply(before.append(many(4, 10)));
  OutputIndex after(decode_head(encode_head(before.head())), written.fields(), bounds);
  EXPECT_EQ(after.bytes(), 40U);
  written.apply(after.append(many(3, 10)));
  EXPECT_EQ(after.head().last, 7U);
  EXPECT_EQ(after.head().lost[0], (OutputLoss{.chunks = 2, .bytes = 20, .until = 2}));
  EXPECT_EQ(written.read({}).chunks.size(), 5U);
}

TEST(OutputIndex, TheHeadIsReadAsItWasWritten) {
  OutputHead head;
  head.last = 12;
  head.lost[3] = {.chunks = 1, .bytes = 2, .until = 3};
  head.stage = "streaming";
  head.metrics = R"({"tokens":3})";
  head.place = {.stream = "session", .number = 9};
  EXPECT_EQ(decode_head(encode_head(head)), head);
  EXPECT_EQ(decode_head("nonsense"), OutputHead());
}

TEST(OutputIndex, FieldsThatAreNotOursAreLeftOut) {
  for (const char* field : {"", "x", "1.2.3", "00000000000000000001.9.1.1.1", "00000000000000000001.1.1.1.1.1"})
    EXPECT_FALSE(block_of(field)) << field;
  const OutputBlock block{.part = 7, .channel = OutputChannel::llm, .newest = 6, .chunks = 2, .bytes = 10};
  EXPECT_EQ(block_of(field_of(block)), block);
}

}  // namespace
}  // namespace muster::engine
