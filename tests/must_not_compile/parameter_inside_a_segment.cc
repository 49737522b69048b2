// expect: the_pattern_is_not_valid
#include <eider/eider.h>
#ifdef FIXED
void routes(eider::App& app) { app.get("/v/{id}", [](int id) { return id; }); }
#else
void routes(eider::App& app) { app.get("/v{id}", [](int id) { return id; }); }
#endif
