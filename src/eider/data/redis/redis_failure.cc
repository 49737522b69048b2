#include "eider/data/redis/redis_failure.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "eider/core/reflect/type_of.h"

namespace eider {
namespace {

Error make_error(RedisFault fault, const std::string& cause) {
  switch (fault) {
    case RedisFault::busy:
    case RedisFault::expired:
    case RedisFault::lost:
    case RedisFault::aborted:
      return Error(503, "The store is busy. Try again in a moment.").because(cause);
    case RedisFault::open:
    case RedisFault::login:
    case RedisFault::refused:
    case RedisFault::reply:
      break;
  }
  return Error::internal(cause);
}

/// Temporary errors, after which nothing was executed.
constexpr std::string_view kBusy[] = {"LOADING",     "BUSY",       "TRYAGAIN",
                                      "CLUSTERDOWN", "MASTERDOWN", "READONLY"};

std::string_view first_word(std::string_view error) noexcept {
  return error.substr(0, std::min(error.find_first_of(" \r\n"), error.size()));
}

RedisFault fault_of(std::string_view code) noexcept {
  return std::ranges::find(kBusy, code) != std::end(kBusy) ? RedisFault::busy : RedisFault::refused;
}

std::string_view mend_of(std::string_view code) noexcept {
  if (code == "CROSSSLOT") {
    return ": keys that are used together need the same text in braces, for example {user7}:name";
  }
  return code == "MOVED" || code == "ASK" ? ": use redis+cluster:// for a cluster" : "";
}

std::string cause_of(std::string_view command, std::string_view error) {
  std::string cause = "Redis rejected ";
  cause.append(command).append(": ");
  cause.append(error.substr(0, std::min(error.find_first_of("'\"`\r\n"), error.size())));
  return cause.append(mend_of(first_word(error)));
}

/// Complete texts of the server, because a script may return the codes, too.
constexpr std::string_view kNotBegun[] = {"NOSCRIPT No matching script", "LOADING Redis is loading",
                                          "BUSY Redis is busy"};

bool was_begun(std::string_view error) noexcept {
  return std::ranges::none_of(kNotBegun,
                              [error](std::string_view words) { return error.starts_with(words); });
}

/// Other words come from a script and may contain anything.
bool is_code(std::string_view word) noexcept {
  return std::ranges::all_of(word, [](char c) { return c >= 'A' && c <= 'Z'; });
}

}  // namespace

std::string_view to_text(RedisFault fault) noexcept {
  return reflect::enumerator_name(fault);
}

RedisFailure::RedisFailure(RedisFault fault, Done done, std::string cause)
    : Failure(make_error(fault, cause)), fault_(fault), done_(done), cause_(std::move(cause)) {}

RedisFailure::RedisFailure(std::string_view command, std::string_view error, Done done)
    : RedisFailure(fault_of(first_word(error)), done, cause_of(command, error)) {
  code_ = first_word(error);
  message_ = error;
}

RedisFailure RedisFailure::among_others() const {
  RedisFailure failure = *this;
  failure.done_ = Done::unknown;
  return failure;
}

RedisFailure RedisFailure::of_script(std::string_view command, std::string_view error, Done done) {
  if (!was_begun(error)) {
    return {command, error, done};
  }
  const std::string_view code = first_word(error);
  RedisFailure failure(RedisFault::refused, Done::unknown,
                       cause_of(command, is_code(code) ? code : "an error raised by the script"));
  failure.code_ = code;
  failure.message_ = error;
  return failure;
}

}  // namespace eider
