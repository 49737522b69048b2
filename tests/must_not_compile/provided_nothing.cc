// expect: provide() needs a function that returns the provided T
#include <eider/eider.h>
using namespace eider;
#ifdef FIXED
void routes(App& app) { app.provide([] { return 7L; }); }
#else
void routes(App& app) { app.provide([] {}); }
#endif
