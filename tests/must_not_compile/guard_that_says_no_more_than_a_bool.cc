// expect: a guard that returns a bool does not say why
#include <eider/eider.h>
using namespace eider;
#ifdef FIXED
void routes(App& app) { app.guard([]() -> Result<void> { return fail(Error(403, "No.")); }); }
#else
void routes(App& app) { app.guard([] { return false; }); }
#endif
