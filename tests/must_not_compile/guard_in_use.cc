// expect: with guard()
#include <eider/eider.h>
#include <eider/middleware.h>
using namespace eider;
#ifdef FIXED
void protect(App& app) { app.guard(bearer_auth({})); }
#else
void protect(App& app) { app.use(bearer_auth({})); }
#endif
