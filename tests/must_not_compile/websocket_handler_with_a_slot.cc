// expect: a WebSocket handler outlives its request
#include <eider/eider.h>
using namespace eider;
struct Caller { int id; };
template <>
struct eider::Extract<Caller> : eider::ExtractExtension<Caller> {
  static constexpr bool kOwnsData = true;
};
#ifdef FIXED
void routes(App& app) { app.ws("/", [](WebSocket, Caller) -> Task<> { co_return; }); }
#else
void routes(App& app) { app.ws("/", [](WebSocket, Extension<Caller>) -> Task<> { co_return; }); }
#endif
