// expect: a handler that streams its response must return Task<>
#include <eider/eider.h>
using namespace eider;
#ifdef FIXED
void routes(App& app) { app.get("/", [](ResponseStream) -> Task<> { co_return; }); }
#else
void routes(App& app) { app.get("/", [](ResponseStream) -> Task<int> { co_return 1; }); }
#endif
