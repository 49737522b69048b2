// Declarations that the snippets of this page use without declaring them.
// Cannot be compiled alone: see common.h.
#pragma once

#include "common.h"

namespace docs::configuration_page {

struct ShopOptions {
  std::string database_url;
};
struct Price {
  std::string name;
};
std::vector<Migration> shop_migrations();
std::vector<Price> list_prices();
App make_shop(const ShopOptions& own);
App make_notes();
struct Own {
  std::string smtp_url;
  Secret smtp_password;
  std::string database_file;
};
struct Options {
  int page_size = 20;
};
struct Store {
  explicit Store(std::string file);
};
struct Cache {
  void clear();
};
extern Own own;
void add_routes(App& app);
App make_app(const Options& own);

}  // namespace docs::configuration_page
