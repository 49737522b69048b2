// A bookshop: pages and a JSON API, accounts and roles, a cart, orders, live stock, two languages.
//   ./bookstore --port 8080, and open http://localhost:8080/
//   ./bookstore --config examples/bookstore/bookstore.toml, for a service
#include "bookstore.h"

#include <eider/sqlite.h>

#include "settings.h"

namespace {

eider::App make_app(const bookstore::Settings& own) {
  eider::App app;
  app.observe(eider::access_log());
  app.on_option("openapi", "Print the OpenAPI document of the API and exit",
                bookstore::api_document);
  bookstore::add_bookstore(app, own, eider::open_sqlite(own.database_file));
  return app;
}

}  // namespace

int main(int argc, char** argv) {
  return eider::run_app<bookstore::Settings>("bookstore", argc, argv, make_app);
}
