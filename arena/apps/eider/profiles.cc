#include "profiles.h"

#include <eider/compress.h>

#include "counted.h"
#include "httparena/dataset.h"

namespace arena {

using namespace eider;

namespace {

using httparena::Dataset;

struct Multiplied {
  std::string m = "1";
};

httparena::PricedItems priced_items(std::size_t count, Query<Multiplied> asked,
                                    State<Dataset> dataset) {
  return httparena::first_items(*dataset, count, number_or_one(asked->m));
}

}  // namespace

void add_profiles(App& app, const std::string& folder) {
  app.state(httparena::read_dataset(folder + "/dataset.json"));
  app.get("/json/{count}", priced_items).use(compression());
  // HttpArena wants each answer read from the disk: nothing is kept in memory.
  serve_files(app, "/static", folder + "/static", {.small_file_bytes_max = 0});
}

}  // namespace arena
