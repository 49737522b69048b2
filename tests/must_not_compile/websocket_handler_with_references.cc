// expect: must not capture by reference
#include <eider/eider.h>
using namespace eider;
#ifdef FIXED
void routes(App& app) { int n = 1; app.ws("/", [n](WebSocket) -> Task<> { (void)n; co_return; }); }
#else
void routes(App& app) { int n = 1; app.ws("/", [&n](WebSocket) -> Task<> { (void)n; co_return; }); }
#endif
