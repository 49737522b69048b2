// expect: a handler that reads the request body as a stream must be a coroutine
#include <eider/eider.h>
using namespace eider;
#ifdef FIXED
void routes(App& app) { app.post("/", [](BodyStream) -> Task<int> { co_return 1; }); }
#else
void routes(App& app) { app.post("/", [](BodyStream) { return 1; }); }
#endif
