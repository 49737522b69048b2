#include "eider/protocols/http/cache_control.h"

#include <gtest/gtest.h>

#include <chrono>
#include <stdexcept>

namespace eider {
namespace {

using namespace std::chrono_literals;

TEST(CacheControl, says_each_word_once) {
  EXPECT_EQ(to_header_value({.max_age = 60s, .is_private = true}), "private, max-age=60");
  EXPECT_EQ(to_header_value({.no_store = true}), "no-store");
  EXPECT_EQ(to_header_value({.no_cache = true}), "no-cache");
  EXPECT_EQ(to_header_value({.max_age = 0s, .must_revalidate = true}),
            "max-age=0, must-revalidate");
  EXPECT_EQ(to_header_value({.max_age = 1h,
                             .s_maxage = 24h,
                             .stale_while_revalidate = 30s,
                             .stale_if_error = 1min,
                             .is_public = true,
                             .proxy_revalidate = true,
                             .no_transform = true,
                             .immutable = true}),
            "public, max-age=3600, s-maxage=86400, proxy-revalidate, no-transform, immutable, "
            "stale-while-revalidate=30, stale-if-error=60");
  EXPECT_EQ(to_header_value({.max_age = 60s, .no_store = true, .must_understand = true}),
            "no-store, max-age=60, must-understand");
}

TEST(CacheControl, refuses_words_that_contradict_each_other) {
  const CacheControl wrong[] = {{},
                                {.max_age = -1s},
                                {.stale_if_error = -1s},
                                {.is_private = true, .is_public = true},
                                {.s_maxage = 60s, .is_private = true},
                                {.max_age = 60s, .no_store = true},
                                {.no_store = true, .is_public = true},
                                {.no_store = true, .immutable = true}};
  for (const CacheControl& words : wrong) {
    EXPECT_THROW((void)to_header_value(words), std::invalid_argument);
  }
}

}  // namespace
}  // namespace eider
