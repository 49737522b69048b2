#include "eider/protocols/http/cache_control.h"

#include <stdexcept>
#include <string_view>

namespace eider {

namespace {

using Seconds = std::optional<std::chrono::seconds>;

void append_word(std::string& value, bool is_said, std::string_view name) {
  if (is_said) {
    value.append(value.empty() ? "" : ", ").append(name);
  }
}

void append_seconds(std::string& value, const Seconds& seconds, std::string_view name) {
  if (!seconds) {
    return;
  }
  if (seconds->count() < 0) {
    throw std::invalid_argument("Cache-Control: " + std::string(name) + " is negative");
  }
  append_word(value, true, name);
  value.append("=").append(std::to_string(seconds->count()));
}

void check_words(const CacheControl& words) {
  if (words.is_private && (words.is_public || words.s_maxage)) {
    throw std::invalid_argument(
        "Cache-Control: private cannot be combined with public or s-maxage");
  }
  const bool is_kept = words.max_age || words.s_maxage || words.is_public || words.immutable ||
                       words.stale_while_revalidate || words.stale_if_error;
  if (words.no_store && is_kept && !words.must_understand) {
    throw std::invalid_argument(
        "Cache-Control: no-store cannot be combined with directives that allow storing");
  }
}

}  // namespace

std::string to_header_value(const CacheControl& words) {
  check_words(words);
  std::string value;
  append_word(value, words.no_store, "no-store");
  append_word(value, words.no_cache, "no-cache");
  append_word(value, words.is_private, "private");
  append_word(value, words.is_public, "public");
  append_seconds(value, words.max_age, "max-age");
  append_seconds(value, words.s_maxage, "s-maxage");
  append_word(value, words.must_revalidate, "must-revalidate");
  append_word(value, words.proxy_revalidate, "proxy-revalidate");
  append_word(value, words.must_understand, "must-understand");
  append_word(value, words.no_transform, "no-transform");
  append_word(value, words.immutable, "immutable");
  append_seconds(value, words.stale_while_revalidate, "stale-while-revalidate");
  append_seconds(value, words.stale_if_error, "stale-if-error");
  if (value.empty()) {
    throw std::invalid_argument("Cache-Control: no directive is set");
  }
  return value;
}

}  // namespace eider
