// expect: a guard cannot return a bool
#include <eider/eider.h>
using namespace eider;
#ifdef FIXED
void routes(App& app) { app.guard([]() -> Result<void> { return fail(Error(403, "No.")); }); }
#else
void routes(App& app) { app.guard([] { return false; }); }
#endif
