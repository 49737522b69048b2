#include "eider/protocols/http/ws/deflate_codec.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace eider::ws {
namespace {

constexpr std::size_t kPlenty = 10'000'000;

std::string bytes(std::initializer_list<int> values) {
  std::string made;
  for (const int value : values) {
    made.push_back(static_cast<char>(value));
  }
  return made;
}

std::string text_of(std::size_t size) {
  std::string text;
  for (unsigned number = 1; text.size() < size; ++number) {
    text += "{\"price\":" + std::to_string(number * 2654435761U) + "},";
  }
  text.resize(size);
  return text;
}

constexpr DeflateTerms kDropped{.server_takeover = Takeover::dropped,
                                .client_takeover = Takeover::dropped};

struct Ends {
  explicit Ends(const DeflateTerms& terms = {}, const DeflateOptions& options = {.bytes_min = 0})
      : server(make_deflate_codec(Side::server, terms, options)),
        client(make_deflate_codec(Side::client, terms, options)) {}

  std::unique_ptr<MessageCodec> server;
  std::unique_ptr<MessageCodec> client;
};

std::string deflated(MessageCodec& codec, std::string_view message) {
  Buffer out;
  return codec.deflate(message, out) == Deflated::done ? std::string(out.view()) : "declined";
}

std::string to_name(Inflated inflated) {
  return inflated == Inflated::corrupt ? "corrupt" : "too large";
}

/// Returns the message, or the error.
std::string inflated(MessageCodec& codec, const std::vector<std::string>& pieces,
                     std::size_t bytes_max = kPlenty) {
  Buffer out;
  for (const std::string& piece : pieces) {
    const Inflated step = codec.inflate(piece, bytes_max - out.size(), out);
    if (step != Inflated::done) {
      EXPECT_LE(out.size(), bytes_max);
      return to_name(step);
    }
  }
  const Inflated end = codec.inflate_end(bytes_max - out.size(), out);
  EXPECT_LE(out.size(), bytes_max);
  return end == Inflated::done ? std::string(out.view()) : to_name(end);
}

// The examples of RFC 7692, section 7.2.3.
TEST(DeflateCodec, reads_the_examples_of_the_rfc) {
  Ends ends;
  MessageCodec& codec = *ends.server;
  EXPECT_EQ(inflated(codec, {bytes({0xf2, 0x48, 0xcd, 0xc9, 0xc9, 0x07, 0x00})}), "Hello");
  EXPECT_EQ(inflated(codec, {bytes({0xf2, 0x48, 0xcd}), bytes({0xc9, 0xc9, 0x07, 0x00})}), "Hello");
  EXPECT_EQ(inflated(codec, {bytes({0xf2, 0x00, 0x11, 0x00, 0x00})}), "Hello");  // by takeover
  EXPECT_EQ(
      inflated(codec, {bytes({0x00, 0x05, 0x00, 0xfa, 0xff, 0x48, 0x65, 0x6c, 0x6c, 0x6f, 0x00})}),
      "Hello");
  EXPECT_EQ(inflated(codec, {bytes({0xf3, 0x48, 0xcd, 0xc9, 0xc9, 0x07, 0x00, 0x00})}), "Hello");
  EXPECT_EQ(inflated(codec, {bytes({0xf2, 0x48, 0x05, 0x00, 0x00, 0x00, 0xff, 0xff, 0xca, 0xc9,
                                    0xc9, 0x07, 0x00})}),
            "Hello");
  EXPECT_EQ(inflated(codec, {bytes({0x00})}), "");
}

TEST(DeflateCodec, writes_the_examples_of_the_rfc) {
  Ends ends;
  EXPECT_EQ(deflated(*ends.server, "Hello"), bytes({0xf2, 0x48, 0xcd, 0xc9, 0xc9, 0x07, 0x00}));
  EXPECT_EQ(deflated(*ends.server, "Hello"), bytes({0xf2, 0x00, 0x11, 0x00, 0x00}));
  EXPECT_EQ(deflated(*ends.server, ""), bytes({0x00}));
}

std::vector<DeflateTerms> all_terms() {
  std::vector<DeflateTerms> terms;
  for (const Takeover server : {Takeover::kept, Takeover::dropped}) {
    for (const Takeover client : {Takeover::kept, Takeover::dropped}) {
      for (const int width : {9, 10, 12, 15}) {
        const auto bits = static_cast<std::uint8_t>(width);
        terms.push_back({server, client, bits, 15});
        terms.push_back({server, client, 15, bits});
      }
    }
  }
  return terms;
}

TEST(DeflateCodec, both_ends_understand_each_other_by_any_terms) {
  for (const DeflateTerms& terms : all_terms()) {
    Ends ends(terms);
    for (const std::size_t size : {0UL, 1UL, 2UL, 125UL, 5000UL, 5000UL, 100'000UL, 3UL}) {
      const std::string message = text_of(size);
      const std::string down = deflated(*ends.server, message);
      EXPECT_EQ(down == "declined" ? message : inflated(*ends.client, {down}), message);
      const std::string up = deflated(*ends.client, message);
      EXPECT_EQ(up == "declined" ? message : inflated(*ends.server, {up}), message);
    }
  }
}

TEST(DeflateCodec, remembers_earlier_messages_only_where_that_was_agreed_on) {
  const std::string message = text_of(500);
  Ends kept;
  const std::string first = deflated(*kept.server, message);
  EXPECT_LT(deflated(*kept.server, message).size(), first.size() / 4);
  Ends dropped(kDropped);
  EXPECT_EQ(deflated(*dropped.server, message), first);
  EXPECT_EQ(deflated(*dropped.server, message), first);
  // References to earlier messages cannot be read without the context.
  (void)inflated(*dropped.client, {first});
  EXPECT_EQ(inflated(*dropped.client, {deflated(*kept.server, message)}), "corrupt");
}

TEST(DeflateCodec, may_get_a_message_cut_at_every_byte) {
  const std::string message = text_of(300);
  const std::string sent = deflated(*Ends(kDropped).client, message);
  for (const DeflateTerms& terms : {DeflateTerms{}, kDropped}) {
    for (std::size_t cut = 0; cut <= sent.size(); ++cut) {
      Ends ends(terms);
      EXPECT_EQ(inflated(*ends.server, {sent.substr(0, cut), "", sent.substr(cut)}), message);
    }
    Ends ends(terms);
    std::vector<std::string> single;
    for (const char byte : sent) {
      single.emplace_back(1, byte);
    }
    EXPECT_EQ(inflated(*ends.server, single), message);
  }
}

TEST(DeflateCodec, a_message_that_ends_early_is_corrupt) {
  const std::string sent = deflated(*Ends(kDropped).client, text_of(300));
  for (std::size_t size = 1; size < sent.size() - 1; ++size) {
    Ends ends;
    EXPECT_EQ(inflated(*ends.server, {sent.substr(0, size)}), "corrupt") << size;
  }
}

TEST(DeflateCodec, finds_damage) {
  for (const std::string& bad : {
           bytes({0x07}),                                // block type 3
           bytes({0x00, 0x05, 0x00, 0x05, 0x00, 0x48}),  // NLEN is not the complement
           bytes({0xf2, 0x00, 0x11, 0x00, 0x00}),        // refers back without a context
           bytes({0x04, 0xff, 0xff, 0xff, 0xff, 0xff}),  // code lengths that are not a code
       }) {
    Ends ends;
    EXPECT_EQ(inflated(*ends.server, {bad}), "corrupt");
  }
}

TEST(DeflateCodec, makes_no_byte_more_than_the_message_may_have) {
  const std::string message(1'000'000, 'a');
  const std::string sent = deflated(*Ends(kDropped).client, message);
  ASSERT_LT(sent.size(), 2000U);
  for (const DeflateTerms& terms : {DeflateTerms{}, kDropped}) {
    EXPECT_EQ(inflated(*Ends(terms).server, {sent}, message.size()), message);
    EXPECT_EQ(inflated(*Ends(terms).server, {sent}, message.size() - 1), "too large");
    EXPECT_EQ(inflated(*Ends(terms).server, {sent}, 1), "too large");
    EXPECT_EQ(inflated(*Ends(terms).server, {sent}, 0), "too large");
    EXPECT_EQ(inflated(*Ends(terms).server, {sent}, static_cast<std::size_t>(-1)), message);
    EXPECT_EQ(inflated(*Ends(terms).server, {bytes({0x00})}, 0), "");
  }
}

TEST(DeflateCodec, too_large_takes_no_memory_beyond_the_bound) {
  const std::string sent = deflated(*Ends(kDropped).client, std::string(1'000'000, 'a'));
  Buffer out;
  EXPECT_EQ(Ends().server->inflate(sent, 1000, out), Inflated::too_large);
  EXPECT_EQ(out.size(), 1000U);
  EXPECT_LE(out.capacity(), 4096U);
}

TEST(DeflateCodec, reads_streams_that_end_inside_a_message) {
  const std::string final_hello = bytes({0xf3, 0x48, 0xcd, 0xc9, 0xc9, 0x07, 0x00});
  for (const DeflateTerms& terms : {DeflateTerms{}, kDropped}) {
    Ends ends(terms);
    EXPECT_EQ(inflated(*ends.server, {final_hello + final_hello + bytes({0x00})}), "HelloHello");
    EXPECT_EQ(inflated(*ends.server, {final_hello, final_hello}), "HelloHello");  // no zero byte
    EXPECT_EQ(
        inflated(*ends.server, {final_hello + bytes({0xf2, 0x48, 0xcd, 0xc9, 0xc9, 0x07, 0})}),
        "HelloHello");
    EXPECT_EQ(inflated(*ends.server, {final_hello}, 4), "too large");
  }
  // The next message may refer to data before the end.
  Ends ends;
  EXPECT_EQ(inflated(*ends.server, {final_hello + bytes({0x00})}), "Hello");
  EXPECT_EQ(inflated(*ends.server, {bytes({0xf2, 0x00, 0x11, 0x00, 0x00})}), "Hello");
}

TEST(DeflateCodec, takes_an_empty_payload_for_an_empty_message) {
  for (const DeflateTerms& terms : {DeflateTerms{}, kDropped}) {
    Ends ends(terms);
    EXPECT_EQ(inflated(*ends.server, {}), "");
    EXPECT_EQ(inflated(*ends.server, {"", ""}), "");
    EXPECT_EQ(inflated(*ends.server, {deflated(*ends.client, text_of(100))}), text_of(100));
  }
}

TEST(DeflateCodec, appends_to_what_is_there) {
  Ends ends;
  Buffer out;
  out.append("before ");
  EXPECT_EQ(ends.server->deflate("Hello", out), Deflated::done);
  EXPECT_TRUE(out.view().starts_with("before \xf2"));
  Buffer back;
  back.append("before ");
  EXPECT_EQ(ends.client->inflate(out.view().substr(7), 5, back), Inflated::done);
  EXPECT_EQ(ends.client->inflate_end(0, back), Inflated::done);
  EXPECT_EQ(back.view(), "before Hello");
}

TEST(DeflateCodec, declines_what_would_gain_nothing) {
  std::string noise(500, '\0');
  std::uint64_t state = 88172645463325252U;
  for (char& byte : noise) {
    state ^= state << 13U;
    state ^= state >> 7U;
    state ^= state << 17U;
    byte = static_cast<char>(state >> 56U);
  }
  Ends dropped(kDropped, {.bytes_min = 32});
  Buffer out;
  out.append("kept");
  EXPECT_EQ(dropped.server->deflate(noise, out), Deflated::declined);
  EXPECT_EQ(dropped.server->deflate(std::string(31, 'a'), out), Deflated::declined);
  EXPECT_EQ(dropped.server->deflate("", out), Deflated::declined);
  EXPECT_EQ(out.view(), "kept");
  EXPECT_EQ(dropped.server->deflate(std::string(32, 'a'), out), Deflated::done);
  // A compressor with context must send all messages that it has seen.
  Ends kept({}, {.bytes_min = 32});
  EXPECT_EQ(kept.server->deflate(noise, out), Deflated::done);
  EXPECT_EQ(kept.server->deflate("short", out), Deflated::declined);
}

TEST(DeflateCodec, shares_its_memory_without_mixing_connections) {
  std::vector<Ends> all;
  for (int index = 0; index < 20; ++index) {
    all.emplace_back(kDropped);
  }
  std::vector<std::string> sent;
  for (std::size_t index = 0; index < all.size(); ++index) {
    sent.push_back(deflated(*all[index].client, text_of(200) + std::to_string(index)));
  }
  // Each has received half of a message, all at the same time.
  std::vector<Buffer> outs(all.size());
  for (std::size_t index = 0; index < all.size(); ++index) {
    EXPECT_EQ(all[index].server->inflate(std::string_view(sent[index]).substr(0, 50), kPlenty,
                                         outs[index]),
              Inflated::done);
  }
  all.erase(all.begin());  // one ends in between
  for (std::size_t index = 0; index < all.size(); ++index) {
    Buffer& out = outs[index + 1];
    MessageCodec& codec = *all[index].server;
    EXPECT_EQ(codec.inflate(std::string_view(sent[index + 1]).substr(50), kPlenty, out),
              Inflated::done);
    EXPECT_EQ(codec.inflate_end(kPlenty, out), Inflated::done);
    EXPECT_EQ(out.view(), text_of(200) + std::to_string(index + 1));
  }
}

TEST(DeflateCodec, keeps_to_its_window) {
  // The second half repeats the first, but a window of 9 bits cannot refer to it.
  const std::string message = text_of(2000) + text_of(2000);
  const DeflateTerms small{Takeover::dropped, Takeover::dropped, 9, 15};
  Ends ends(small);
  const std::string down = deflated(*ends.server, message);
  const std::string up = deflated(*ends.client, message);
  EXPECT_GT(down.size(), up.size() * 5 / 4);
  EXPECT_EQ(inflated(*ends.client, {down}), message);
}

}  // namespace
}  // namespace eider::ws
