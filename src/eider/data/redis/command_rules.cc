#include "eider/data/redis/command_rules.h"

#include <algorithm>
#include <span>
#include <string>

#include "eider/data/redis/call.h"
#include "eider/data/redis/redis_failure.h"
#include "eider/data/redis/resp.h"

namespace eider::redis::detail {
namespace {

/// Commands that block other commands of a connection.
constexpr std::string_view kBlocking[] = {
    "BLMOVE", "BLMPOP",   "BLPOP",    "BRPOP", "BRPOPLPUSH",
    "BZMPOP", "BZPOPMAX", "BZPOPMIN", "WAIT",  "WAITAOF",
};

/// Commands that change the state of a connection.
constexpr std::string_view kOwnConnection[] = {"UNWATCH", "CLIENT"};

struct Instead {
  std::string_view name;
  std::string_view why;
};

constexpr std::string_view kSubscriber = " is not allowed as a command: use RedisSubscriber";
constexpr std::string_view kTransaction = " is not allowed as a command: use transaction()";
constexpr std::string_view kUrl =
    " is not allowed as a command: set this in the URL, so that new connections use it, too";
constexpr std::string_view kNever = " is not allowed as a command: its response is not supported";

/// Commands whose effect is lost after a reconnect, or whose responses are not supported.
constexpr Instead kNowhere[] = {
    {"AUTH", kUrl},
    {"SELECT", kUrl},
    {"DISCARD", kTransaction},
    {"EXEC", kTransaction},
    {"MULTI", kTransaction},
    {"WATCH", " is not allowed as a command: use RedisSession::watch"},
    {"PSUBSCRIBE", kSubscriber},
    {"PUNSUBSCRIBE", kSubscriber},
    {"SSUBSCRIBE", kSubscriber},
    {"SUBSCRIBE", kSubscriber},
    {"SUNSUBSCRIBE", kSubscriber},
    {"UNSUBSCRIBE", kSubscriber},
    {"HELLO", kNever},
    {"MONITOR", kNever},
    {"PSYNC", kNever},
    {"QUIT", kNever},
    {"RESET", kNever},
    {"SYNC", kNever},
};

bool is_script(std::string_view name) noexcept {
  return is_word(name, "EVALSHA") || is_word(name, "EVAL") || is_word(name, "FCALL");
}

[[noreturn]] void refuse(std::string_view name, std::string_view why) {
  throw RedisFailure(RedisFault::refused, RedisFailure::Done::nothing,
                     std::string(CommandName(name).view()).append(why));
}

/// Returns whether XREAD or XREADGROUP has the option BLOCK. Keys follow after STREAMS, and two
/// names after GROUP.
bool says_block(RespCursor arguments) noexcept {
  while (!arguments.is_at_end()) {
    const std::string_view argument = arguments.next().text;
    if (is_word(argument, "STREAMS")) {
      return false;
    }
    if (is_word(argument, "BLOCK")) {
      return true;
    }
    for (int i = 0; i < 2 && is_word(argument, "GROUP") && !arguments.is_at_end(); ++i) {
      arguments.skip();
    }
  }
  return false;
}

bool is_one_of(std::string_view name, std::span<const std::string_view> words) noexcept {
  return std::ranges::any_of(words, [name](std::string_view word) { return is_word(name, word); });
}

bool is_blocking(std::string_view name, RespCursor arguments) noexcept {
  if (is_word(name, "XREAD") || is_word(name, "XREADGROUP")) {
    return says_block(arguments);
  }
  return is_one_of(name, kBlocking);
}

}  // namespace

bool is_word(std::string_view text, std::string_view word) noexcept {
  const auto upper = [](char c) {
    return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  };
  return std::ranges::equal(text, word, {}, upper);
}

CommandKind check_command(std::string_view command, ConnectionUse use) {
  RespCursor words(command);
  (void)words.next();
  const std::string_view name = words.next().text;
  const auto* const nowhere = std::ranges::find_if(
      kNowhere, [name](const Instead& instead) { return is_word(name, instead.name); });
  if (nowhere != std::end(kNowhere)) {
    refuse(name, nowhere->why);
  }
  const bool blocks = is_blocking(name, words);
  if (use != ConnectionUse::own && (blocks || is_one_of(name, kOwnConnection))) {
    refuse(name, " needs its own connection: use Redis::session");
  }
  // The next responses would not belong to their commands.
  if (is_word(name, "CLIENT") && !words.is_at_end() && is_word(words.next().text, "REPLY")) {
    refuse("CLIENT REPLY", kNever);
  }
  if (blocks) {
    return CommandKind::blocking;
  }
  return is_script(name) ? CommandKind::script : CommandKind::plain;
}

}  // namespace eider::redis::detail
