// expect: a WebSocket handler outlives its request
#include <eider/eider.h>
using namespace eider;
#ifdef FIXED
void routes(App& app) { app.ws("/{id}", [](WebSocket, std::string) -> Task<> { co_return; }); }
#else
void routes(App& app) { app.ws("/{id}", [](WebSocket, std::string_view) -> Task<> { co_return; }); }
#endif
