// expect: the_handler_has_fewer_path_parameters_than_the_pattern
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
