// expect: a guard returns what the handler is to know
#include <eider/eider.h>
using namespace eider;
#ifdef FIXED
void routes(App& app) { app.guard([] { return 7; }); }
#else
void routes(App& app) { app.guard([] { return Response(); }); }
#endif
