// expect: what is provided is what the function returns
#include <eider/eider.h>
using namespace eider;
#ifdef FIXED
void routes(App& app) { app.provide([] { return 7L; }); }
#else
void routes(App& app) { app.provide([] {}); }
#endif
