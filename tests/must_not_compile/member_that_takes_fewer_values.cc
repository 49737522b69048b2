// expect: the_handler_takes_fewer_path_values_than_the_pattern_names
#include <eider/eider.h>
using namespace eider;
struct Notes {
  std::string read(int id) const { return std::to_string(id); }
};
#ifdef FIXED
void routes(App& app) { app.get("/notes/{id}", &Notes::read); }
#else
void routes(App& app) { app.get("/notes/{id}/{part}", &Notes::read); }
#endif
