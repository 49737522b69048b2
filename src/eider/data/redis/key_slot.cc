#include "eider/data/redis/key_slot.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <iterator>

#include "eider/data/redis/command_rules.h"
#include "eider/data/redis/resp.h"

namespace eider::redis::detail {
namespace {

/// The table of the polynomial x^16 + x^12 + x^5 + 1 (XMODEM).
constexpr std::array<std::uint16_t, 256> make_crc_table() {
  std::array<std::uint16_t, 256> table{};
  for (unsigned byte = 0; byte < table.size(); ++byte) {
    unsigned crc = byte << 8U;
    for (int bit = 0; bit < 8; ++bit) {
      crc = (crc << 1U) ^ ((crc & 0x8000U) != 0 ? 0x1021U : 0U);
    }
    table[byte] = static_cast<std::uint16_t>(crc);
  }
  return table;
}

constexpr std::array<std::uint16_t, 256> kCrcTable = make_crc_table();

/// The position of a command's first key: the index of the argument, including the name, or of the
/// number of keys that precedes them. For commands that are not listed here, it is 1.
struct KeyPlace {
  std::string_view name;
  std::size_t at;
  bool is_count = false;
};

constexpr KeyPlace kPlaces[] = {
    {"BITOP", 2},
    {"BLMPOP", 2, true},
    {"BZMPOP", 2, true},
    {"EVAL", 2, true},
    {"EVALSHA", 2, true},
    {"EVALSHA_RO", 2, true},
    {"EVAL_RO", 2, true},
    {"FCALL", 2, true},
    {"FCALL_RO", 2, true},
    {"LMPOP", 1, true},
    {"MEMORY", 2},
    {"OBJECT", 2},
    {"SINTERCARD", 1, true},
    {"XGROUP", 2},
    {"XINFO", 2},
    {"ZDIFF", 1, true},
    {"ZINTER", 1, true},
    {"ZINTERCARD", 1, true},
    {"ZMPOP", 1, true},
    {"ZUNION", 1, true},
};

constexpr std::string_view kKeyless[] = {
    "ACL",     "BGREWRITEAOF", "BGSAVE",  "CLIENT",   "CLUSTER",  "COMMAND", "CONFIG",   "DEBUG",
    "DISCARD", "ECHO",         "EXEC",    "FAILOVER", "FUNCTION", "INFO",    "LASTSAVE", "LATENCY",
    "LOLWUT",  "MODULE",       "MULTI",   "PING",     "PUBLISH",  "PUBSUB",  "ROLE",     "SAVE",
    "SCRIPT",  "SHUTDOWN",     "SLOWLOG", "TIME",     "UNWATCH",  "WAIT",    "WAITAOF",
};

constexpr std::string_view kOfOneNode[] = {"DBSIZE",  "FLUSHALL",  "FLUSHDB", "KEYS",
                                           "MIGRATE", "RANDOMKEY", "SCAN",    "SWAPDB"};

bool is_among(std::string_view name, auto& names) noexcept {
  return std::ranges::any_of(names, [name](std::string_view word) { return is_word(name, word); });
}

using Key = std::optional<std::string_view>;

/// Returns the argument after `behind` others; nothing if `left` arguments are too few.
Key argument(RespCursor arguments, std::int64_t left, std::size_t behind) {
  if (std::cmp_less_equal(left, behind)) {
    return std::nullopt;
  }
  arguments.skip(behind);
  return arguments.next().text;
}

Key behind_streams(RespCursor arguments, std::int64_t left) {
  for (; left > 1; --left) {
    if (is_word(arguments.next().text, "STREAMS")) {
      return arguments.next().text;
    }
  }
  return std::nullopt;
}

/// arguments  starting with the name
Key key_of(RespCursor arguments, std::int64_t left) {
  const std::string_view name = left > 0 ? arguments.peek().text : std::string_view();
  if (is_among(name, kKeyless) || is_among(name, kOfOneNode)) {
    return std::nullopt;
  }
  if (is_word(name, "XREAD") || is_word(name, "XREADGROUP")) {
    return behind_streams(arguments, left);
  }
  const auto* const place = std::ranges::find_if(
      kPlaces, [name](const KeyPlace& one) { return is_word(name, one.name); });
  if (place == std::end(kPlaces)) {
    return argument(arguments, left, 1);
  }
  if (!place->is_count) {
    return argument(arguments, left, place->at);
  }
  const Key count = argument(arguments, left, place->at);
  return !count || *count == "0" ? std::nullopt : argument(arguments, left, place->at + 1);
}

}  // namespace

std::uint16_t slot_of_key(std::string_view key) noexcept {
  const std::size_t open = key.find('{');
  if (open != std::string_view::npos) {
    const std::size_t close = key.find('}', open);
    if (close != std::string_view::npos && close != open + 1) {
      key = key.substr(open + 1, close - open - 1);
    }
  }
  unsigned crc = 0;
  for (const char byte : key) {
    crc = (crc << 8U) ^ kCrcTable[((crc >> 8U) ^ static_cast<unsigned char>(byte)) & 0xffU];
    crc &= 0xffffU;
  }
  return static_cast<std::uint16_t>(crc % kSlots);
}

Result<std::optional<std::uint16_t>, SlotsDiffer> slot_of(std::string_view commands) {
  std::optional<std::uint16_t> slot;
  for (RespCursor cursor(commands); !cursor.is_at_end();) {
    const std::int64_t arguments = cursor.next().number;
    if (const Key key = key_of(cursor, arguments)) {
      const std::uint16_t own = slot_of_key(*key);
      if (slot.value_or(own) != own) {
        return fail(SlotsDiffer{});
      }
      slot = own;
    }
    cursor.skip(static_cast<std::uint64_t>(arguments));
  }
  return slot;
}

bool is_of_one_node(std::string_view command) {
  RespCursor words(command);
  return words.next().number > 0 && is_among(words.next().text, kOfOneNode);
}

}  // namespace eider::redis::detail
