// expect: a WebSocket handler must have one WebSocket parameter and return Task<>
#include <eider/eider.h>
using namespace eider;
#ifdef FIXED
void routes(App& app) { app.ws("/{id}", [](int) { return WebSocketHandlers(); }); }
#else
void routes(App& app) { app.ws("/{id}", [](int) -> Task<> { co_return; }); }
#endif
