#include "websocket/encoder.h"

#include <gtest/gtest.h>

#include "websocket/websocket_testing.h"

namespace muster::websocket {
namespace {

MaskKey test_mask() { return kTestMask; }

std::string encoded_text(Encoder& encoder, std::string_view text) {
  std::string out;
  encoder.text(text, out);
  return out;
}

TEST(Encoder, MakesTheExamplesOfRfc6455) {
  Encoder server({.role = Role::server});
  Encoder client({.role = Role::client, .mask_keys = &test_mask});
  EXPECT_EQ(encoded_text(server, "Hello"), bytes_of("81 05 48 65 6c 6c 6f"));
  EXPECT_EQ(encoded_text(client, "Hello"), bytes_of("81 85 37 fa 21 3d 7f 9f 4d 51 58"));
  std::string out;
  server.ping("Hello", out);
  EXPECT_EQ(out, bytes_of("89 05 48 65 6c 6c 6f"));
  out.clear();
  client.pong("Hello", out);
  EXPECT_EQ(out, bytes_of("8a 85 37 fa 21 3d 7f 9f 4d 51 58"));
  out.clear();
  server.binary(std::string(256, 'x'), out);
  EXPECT_EQ(out, bytes_of("82 7E 01 00") + std::string(256, 'x'));
}

TEST(Encoder, AppendsToWhatIsThere) {
  Encoder server({.role = Role::server});
  std::string out = "before";
  server.text("a", out);
  server.close(CloseCode::normal, "b", out);
  EXPECT_EQ(out, "before" + bytes_of("81 01 61 88 03 03 E8 62"));
}

TEST(Encoder, MasksEveryFrameOfAClientWithAKeyOfItsOwn) {
  unsigned char next = 0;
  Encoder client({.role = Role::client, .mask_keys = [&] { return MaskKey{next++, 1, 2, 3}; }});
  std::string out;
  client.text("", out);
  client.ping("", out);
  client.close(CloseCode::no_status, "", out);
  EXPECT_EQ(out, bytes_of("81 80 00 01 02 03 89 80 01 01 02 03 88 80 02 01 02 03"));
}

TEST(Encoder, CompressesBetweenItsBoundsAndOnlyWhatGains) {
  Encoder encoder({.role = Role::server, .deflate = DeflateTerms{}, .deflate_bytes_min = 100, .deflate_bytes_max = 1'000});
  const auto first = [&](const std::string& message) {
    std::string out;
    encoder.binary(message, out);
    return static_cast<unsigned char>(out[0]);
  };
  EXPECT_EQ(first(std::string(99, 'x')), 0x82);
  EXPECT_EQ(first(std::string(100, 'x')), 0xC2);
  EXPECT_EQ(first(std::string(1'000, 'x')), 0xC2);
  EXPECT_EQ(first(std::string(1'001, 'x')), 0x82);
  EXPECT_EQ(first(Chance(4).bytes(500)), 0x82) << "chance does not compress";
}

TEST(Encoder, CompressesNothingUnlessItWasAgreed) {
  Encoder encoder({.role = Role::server, .deflate_bytes_min = 0});
  EXPECT_EQ(encoded_text(encoder, std::string(100, 'x')), bytes_of("81 64") + std::string(100, 'x'));
}

TEST(Encoder, SendsWhatItsWindowHasEvenWhereNothingIsGained) {
  Encoder encoder({.role = Role::server, .deflate = DeflateTerms{.server = {.takeover = true}}, .deflate_bytes_min = 0});
  Decoder decoder({.role = Role::client, .deflate = DeflateTerms{.server = {.takeover = true}}});
  const std::string noise = Chance(5).bytes(2'000);
  std::string out;
  encoder.binary(noise, out);
  const std::size_t first = out.size();
  encoder.binary(noise, out);
  EXPECT_GT(first, noise.size());
  EXPECT_LT(out.size() - first, 100U) << "the second refers to the first";
  Events events;
  feed_all(decoder, out, events);
  EXPECT_EQ(events, (Events{"binary " + noise, "binary " + noise}));
}

TEST(PreparedText, IsTheSameFrameForAllAndCompressedForThoseWhoAgreed) {
  const std::string text = Chance(6).words(5'000);
  PreparedText prepared(text);
  for (int round = 0; round < 2; ++round) {
    Encoder plain({.role = Role::server});
    Encoder packed({.role = Role::server, .deflate = DeflateTerms{}});
    std::string out;
    plain.prepared(prepared, out);
    EXPECT_EQ(out, encoded_text(plain, text));
    out.clear();
    packed.prepared(prepared, out);
    EXPECT_EQ(out, encoded_text(packed, text));
    EXPECT_LT(out.size(), text.size() / 2);
  }
}

TEST(PreparedText, IsUnderstoodByEveryReceiverWhateverWasAgreed) {
  const std::string text = Chance(7).words(5'000);
  PreparedText prepared(text);
  for (const bool takeover : {false, true}) {
    for (const int bits : {8, 15}) {
      const DeflateTerms terms{.server = {.takeover = takeover, .window_bits = bits}};
      Encoder encoder({.role = Role::server, .deflate = terms});
      std::string out;
      encoder.text(text, out);
      encoder.prepared(prepared, out);
      encoder.text(text, out);
      EXPECT_EQ(decoded({.role = Role::client, .deflate = terms}, out, 11), Events(3, "text " + text)) << takeover << " " << bits;
    }
  }
  Encoder client({.role = Role::client, .deflate = DeflateTerms{}, .mask_keys = &test_mask});
  std::string out;
  client.prepared(prepared, out);
  EXPECT_EQ(decoded({.role = Role::server, .deflate = DeflateTerms{}}, out), Events{"text " + text});
}

}  // namespace
}  // namespace muster::websocket
