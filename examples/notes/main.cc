// A small notes service: pages for people, JSON for programs, data in SQLite.
// NOTES_DB names the file; the options are those of every Eider application (--help).
#include <eider/eider.h>

#include <cstdio>

#include "api.h"
#include "pages.h"
#include "store.h"

int main(int argc, char** argv) {
  const auto options = eider::read_command_line(argc, argv);
  if (!options) {
    return options.error();
  }
  auto database = notes::open_database();
  if (!database) {
    std::fprintf(stderr, "%s\n", database.error().c_str());
    return 1;
  }
  eider::App app;
  app.state(notes::Store(std::move(*database)));
  notes::add_pages(app);
  notes::add_api(app);
  return app.serve(*options);
}
