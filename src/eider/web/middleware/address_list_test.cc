#include "eider/web/middleware/address_list.h"

#include <gtest/gtest.h>

#include <string>

#include "eider/app/app.h"
#include "eider/core/base/failure.h"
#include "eider/web/middleware/test_asked.h"

namespace eider {
namespace {

using testing::Asked;
using testing::AskedApp;

int status_from(AddressList list, std::string address, std::string_view named = {},
                std::string_view trusted = {}) {
  App app;
  if (!trusted.empty()) {
    app.trust_proxies(trusted);
  }
  app.use(address_list(std::move(list)));
  app.get("/", [] { return "x"; });
  Asked asked{.address = std::move(address)};
  if (!named.empty()) {
    asked.fields.push_back({"X-Forwarded-For", named});
  }
  return AskedApp(app).status(asked);
}

TEST(AddressList, lets_in_its_blocks_alone) {
  const AddressList list{.allow = "10.0.0.0/8, ::1, 2001:db8::/32"};
  for (const char* address :
       {"10.0.0.1", "10.255.255.255", "::1", "2001:db8:ffff::", "::ffff:10.1.2.3"}) {
    EXPECT_EQ(status_from(list, address), 200) << address;
  }
  for (const char* address : {"11.0.0.1", "9.255.255.255", "::2", "2001:db9::", "::ffff:11.0.0.1",
                              "", "unix:", "unix:/run/x", "10.0.0.1, 1.1.1.1", "localhost"}) {
    EXPECT_EQ(status_from(list, address), 403) << address;
  }
}

TEST(AddressList, keeps_out_whom_it_denies_whatever_it_allows) {
  const AddressList list{.allow = "10.0.0.0/8", .deny = "10.6.6.6, 192.0.2.0/24"};
  EXPECT_EQ(status_from(list, "10.6.6.5"), 200);
  EXPECT_EQ(status_from(list, "10.6.6.6"), 403);
  EXPECT_EQ(status_from({.deny = "192.0.2.0/24"}, "192.0.2.9"), 403);
  EXPECT_EQ(status_from({.deny = "192.0.2.0/24"}, "198.51.100.1"), 200);
}

TEST(AddressList, keeps_out_whom_nobody_knows) {
  for (const char* address : {"", "unix:", "unix:/run/x", "localhost"}) {
    EXPECT_EQ(status_from({.deny = "192.0.2.0/24"}, address), 403) << address;
    EXPECT_EQ(status_from({}, address), 200) << address;
  }
  EXPECT_EQ(status_from({.deny = "192.0.2.0/24"}, "10.0.0.9", "unknown", "10.0.0.9"), 403);
  EXPECT_EQ(status_from({.deny = "192.0.2.0/24"}, "unix:", "198.51.100.1", "unix"), 200);
  EXPECT_EQ(status_from({.deny = "192.0.2.0/24"}, "unix:", "192.0.2.1", "unix"), 403);
}

TEST(AddressList, goes_by_the_word_of_trusted_proxies_alone) {
  const AddressList list{.allow = "10.0.0.0/8"};
  EXPECT_EQ(status_from(list, "192.0.2.1", "10.0.0.1"), 403);
  EXPECT_EQ(status_from(list, "192.0.2.1", "10.0.0.1", "192.0.2.1"), 200);
  EXPECT_EQ(status_from(list, "10.0.0.9", "198.51.100.1", "10.0.0.9"), 403);
  EXPECT_EQ(status_from(list, "10.0.0.9", "10.0.0.1, 198.51.100.1", "10.0.0.9"), 403);
}

TEST(AddressList, with_a_wrong_block_is_told_at_once) {
  EXPECT_THROW((void)address_list({.allow = "10.0.0.0/33"}), Failure);
  EXPECT_THROW((void)address_list({.deny = "unix"}), Failure);
}

}  // namespace
}  // namespace eider
