#include "eider/app/settings/masked_setting.h"

#include <gtest/gtest.h>

namespace eider::detail::app {
namespace {

TEST(MaskedSetting, knows_names_of_secrets) {
  for (const std::string_view name : {"secret", "webhook_secret", "smtp-password", "API_TOKEN",
                                      "key", "search.signing_key", "sslpassword", "clientsecret"}) {
    EXPECT_TRUE(names_secret(name)) << name;
  }
  for (const std::string_view name :
       {"", "monkey", "key_file", "token_lifetime", "secrets_directory", "passwords_max", "keys"}) {
    EXPECT_FALSE(names_secret(name)) << name;
  }
}

TEST(MaskedSetting, hides_passwords_within_a_value) {
  struct Case {
    std::string_view text;
    std::string_view shown;
  };
  for (const auto& [text, shown] : {
           Case{R"("postgres://ann:hunter2@db/shop")", R"("postgres://ann:***@db/shop")"},
           Case{R"("postgres://ann:a@b\"c@db:1/shop?x=y")",
                R"("postgres://ann:***@db:1/shop?x=y")"},
           Case{R"("https://t0ken@git.example/x")", R"("https://***@git.example/x")"},
           Case{R"(["redis://:p@a", "rediss://u:p@b"])",
                R"(["redis://:***@a", "rediss://u:***@b"])"},
           Case{R"("postgres://db/shop?user=ann&password=p&x=1")",
                R"("postgres://db/shop?user=ann&password=***&x=1")"},
           Case{R"("host=db password='a b' user=ann")", R"("host=db password=*** user=ann")"},
           Case{R"("host=db password=a\"b")", R"("host=db password=***")"},
       }) {
    EXPECT_EQ(with_passwords_masked(text), shown);
  }
}

TEST(MaskedSetting, leaves_all_else_as_it_is) {
  for (const std::string_view text :
       {"", "8080", R"("postgres://ann@db/shop")", R"("http://127.0.0.1:9000/a@b")", R"("key")",
        R"("a=b&monkey=c")", R"("unix:/run/a")", R"("password=")", R"("https://a/b?c=d@e")"}) {
    EXPECT_EQ(with_passwords_masked(text), text);
  }
}

}  // namespace
}  // namespace eider::detail::app
