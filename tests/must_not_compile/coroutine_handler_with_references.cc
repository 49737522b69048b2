// expect: must not capture by reference
#include <eider/eider.h>
using namespace eider;
#ifdef FIXED
void routes(App& app, int n) { app.get("/", [n]() -> Task<int> { co_return n; }); }
#else
void routes(App& app, int n) { app.get("/", [&]() -> Task<int> { co_return n; }); }
#endif
