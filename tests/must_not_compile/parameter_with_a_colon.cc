// expect: a_segment_begins_with_a_colon__write_the_name_in_braces_instead
#include <eider/eider.h>
using namespace eider;
#ifdef FIXED
void routes(App& app) { app.get("/notes/{id}", [](int id) { return id; }); }
#else
void routes(App& app) { app.get("/notes/:id", [](int id) { return id; }); }
#endif
