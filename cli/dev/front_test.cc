#include "cli/dev/front.h"

#include <gtest/gtest.h>

#include "cli/dev/project.h"

namespace eider::dev {
namespace {

TEST(Front, names_that_others_can_have_lead_here_are_refused) {
  const std::vector<std::string> names{"shop.test"};
  for (const std::string_view host :
       {"localhost", "LOCALHOST:8080", "a.localhost", "127.0.0.1:1", "[::1]:8080", "[::1]",
        "192.168.0.7:8080", "shop.test", "Shop.Test:80"}) {
    EXPECT_TRUE(is_allowed_host(host, names)) << host;
  }
  for (const std::string_view host :
       {"", "evil.example", "evil.example:8080", "localhost.evil.example", "notlocalhost",
        "127.0.0.1.evil.example", "a.shop.test", "[evil]", ":80"}) {
    EXPECT_FALSE(is_allowed_host(host, names)) << host;
  }
}

TEST(Front, a_policy_s_nonce_is_taken_where_it_is_one) {
  EXPECT_EQ(nonce_of("script-src 'nonce-aB3+/_-=' 'self'"), "aB3+/_-=");
  EXPECT_EQ(nonce_of("script-src 'self'"), "");
  EXPECT_EQ(nonce_of("script-src 'nonce-a\"><script>'"), "");
  EXPECT_EQ(nonce_of("script-src 'nonce-"), "");
}

TEST(Project, the_program_that_is_meant_is_found) {
  const std::vector<ProgramTarget> all{{"admin", "a"}, {"shop", "b"}, {"shop_test", "c"}};
  EXPECT_EQ(choose_target(all, "", "shop")->name, "shop");
  EXPECT_EQ(choose_target(all, "admin", "shop")->name, "admin");
  EXPECT_EQ(choose_target({all[1], all[2]}, "", "other")->name, "shop");
  EXPECT_EQ(choose_target(all, "", "other").error(),
            "the project has several programs. Select one with --target: admin, shop");
  EXPECT_EQ(choose_target(all, "none", "shop").error(),
            "there is no program none in this project. Programs: admin, shop, shop_test");
  EXPECT_FALSE(choose_target({all[2]}, "", "shop"));
}

}  // namespace
}  // namespace eider::dev
