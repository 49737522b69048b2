#include "eider/data/redis/key_slot.h"

#include <string>
#include <vector>

#include "eider/data/redis/resp_writer.h"
#include "tests/support/redis_tests.h"

namespace eider {
namespace {

using redis::detail::slot_of;
using redis::detail::slot_of_key;

std::string encoded(const std::vector<std::string>& words) {
  Buffer out;
  redis::detail::append_command(out, words);
  return std::string(out.view());
}

TEST(KeySlot, is_of_what_stands_in_the_first_braces) {
  EXPECT_EQ(slot_of_key("123456789"), 0x31c3);
  EXPECT_EQ(slot_of_key(""), 0);
  EXPECT_EQ(slot_of_key("{user1000}.following"), slot_of_key("user1000"));
  EXPECT_EQ(slot_of_key("a{user1000}{x}"), slot_of_key("user1000"));
  EXPECT_EQ(slot_of_key("foo{{bar}}zap"), slot_of_key("{bar"));
  EXPECT_NE(slot_of_key("foo{}{bar}"), slot_of_key("bar"));
  EXPECT_NE(slot_of_key("foo{bar"), slot_of_key("bar"));
}

TEST(KeySlot, of_several_commands_is_one_or_none) {
  EXPECT_EQ(slot_of(encoded({"MULTI"}) + encoded({"SET", "{a}1", "x"}) + encoded({"GET", "{a}2"}) +
                    encoded({"EXEC"}))
                .value(),
            slot_of_key("a"));
  EXPECT_EQ(slot_of(encoded({"PING"}) + encoded({"TIME"})).value(), std::nullopt);
  EXPECT_FALSE(slot_of(encoded({"GET", "a"}) + encoded({"GET", "b"})).has_value());
  EXPECT_EQ(slot_of(encoded({})).value(), std::nullopt);
}

TEST(KeySlot, is_none_where_a_command_ends_ahead_of_its_key) {
  for (const std::vector<std::string>& words :
       std::vector<std::vector<std::string>>{{"GET"},
                                             {"EVAL"},
                                             {"EVAL", "x"},
                                             {"EVAL", "x", "1"},
                                             {"EVAL", "x", "0", "no"},
                                             {"XREAD"},
                                             {"XREAD", "COUNT", "1"},
                                             {"XREAD", "STREAMS"},
                                             {"BITOP", "AND"}}) {
    EXPECT_EQ(slot_of(encoded(words)).value(), std::nullopt) << words.back();
  }
}

/// Redis can report the keys of its commands.
TEST_F(RedisTest, the_first_key_of_a_command_is_where_redis_finds_it) {
  const std::vector<std::vector<std::string>> commands{
      {"GET", "k"},
      {"set", "k", "v"},
      {"MSET", "k", "v", "l", "w"},
      {"BITOP", "AND", "k", "l"},
      {"EVAL", "return 1", "2", "k", "l", "x"},
      {"EVALSHA", "abc", "1", "k"},
      {"FCALL", "f", "1", "k", "x"},
      {"ZUNION", "2", "k", "l"},
      {"ZUNIONSTORE", "k", "1", "l"},
      {"SINTERCARD", "1", "k"},
      {"LMPOP", "1", "k", "LEFT"},
      {"BLMPOP", "0", "1", "k", "LEFT"},
      {"BZMPOP", "0", "1", "k", "MIN"},
      {"XREAD", "COUNT", "2", "STREAMS", "k", "0"},
      {"XREADGROUP", "GROUP", "g", "c", "STREAMS", "k", ">"},
      {"XGROUP", "CREATE", "k", "g", "$"},
      {"XINFO", "STREAM", "k"},
      {"XADD", "k", "*", "f", "v"},
      {"OBJECT", "ENCODING", "k"},
      {"MEMORY", "USAGE", "k"},
      {"SORT", "k"},
      {"GEOSEARCHSTORE", "k", "l", "FROMMEMBER", "m", "BYRADIUS", "1", "m"},
      {"COPY", "k", "l"},
      {"BLPOP", "k", "0"},
  };
  for (const auto& words : commands) {
    const auto keys = ask<std::vector<std::string>>("COMMAND", "GETKEYS", words);
    EXPECT_EQ(slot_of(encoded(words)).value(), slot_of_key(keys.at(0))) << words[0];
  }
  for (const std::vector<std::string>& words : std::vector<std::vector<std::string>>{
           {"PING"}, {"PUBLISH", "c", "m"}, {"SCRIPT", "LOAD", "x"}, {"INFO", "server"}}) {
    EXPECT_EQ(failure(redis_, "COMMAND", "GETKEYS", words).fault(), RedisFault::refused);
    EXPECT_EQ(slot_of(encoded(words)).value(), std::nullopt) << words[0];
  }
}

}  // namespace
}  // namespace eider
