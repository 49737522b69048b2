// A bookshop: pages and a JSON API, accounts and roles, a cart, orders, live stock, two languages.
//   ./bookstore --port 8080, and open http://localhost:8080/
//   ./bookstore --config examples/bookstore/bookstore.toml, as a service is told
#include "bookstore.h"

#include <eider/db/sqlite/sqlite.h>

#include <cstdio>
#include <utility>

#include "settings.h"

namespace {

eider::Exit serve(int argc, char** argv) {
  bookstore::Settings own;
  eider::App app;
  app.options(eider::OptionSet("bookstore").add(own));
  app.observe(eider::access_log());
  app.on_option("openapi", "prints the OpenAPI document of the API", bookstore::api_document);
  const auto options = eider::read_command_line(argc, argv, app.options());
  if (!options) {
    return options.error();
  }
  auto database = eider::try_open_sqlite(own.database_file);
  if (!database) {
    throw eider::Failure(eider::Error::internal(database.error()));
  }
  bookstore::add_bookstore(app, own, std::move(*database));
  return app.serve(*options);
}

}  // namespace

int main(int argc, char** argv) {
  return eider::run_main(serve, argc, argv);
}
