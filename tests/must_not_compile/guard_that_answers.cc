// expect: a guard must return a value T for the handler
#include <eider/eider.h>
using namespace eider;
#ifdef FIXED
void routes(App& app) { app.guard([] { return 7; }); }
#else
void routes(App& app) { app.guard([] { return Response(); }); }
#endif
