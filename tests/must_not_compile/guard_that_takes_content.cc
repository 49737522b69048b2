// expect: a guard runs before the request body is read
#include <eider/eider.h>
using namespace eider;
#ifdef FIXED
void routes(App& app) { app.guard([](const Request&) -> Result<void> { return {}; }); }
#else
void routes(App& app) { app.guard([](Body) -> Result<void> { return {}; }); }
#endif
