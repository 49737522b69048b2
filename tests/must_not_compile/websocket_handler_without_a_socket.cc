// expect: a WebSocket handler takes one WebSocket and returns Task<>
#include <eider/eider.h>
using namespace eider;
#ifdef FIXED
void routes(App& app) { app.ws("/{id}", [](int) { return WebSocketHandlers(); }); }
#else
void routes(App& app) { app.ws("/{id}", [](int) -> Task<> { co_return; }); }
#endif
