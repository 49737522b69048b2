// expect: a WebSocket handler outlives its request
#include <eider/eider.h>
using namespace eider;
struct Caller { int id; };
template <>
struct eider::Extract<Caller> : eider::ExtractSlot<Caller> {
  static constexpr bool kOwns = true;
};
#ifdef FIXED
void routes(App& app) { app.ws("/", [](WebSocket, Caller) -> Task<> { co_return; }); }
#else
void routes(App& app) { app.ws("/", [](WebSocket, Slot<Caller>) -> Task<> { co_return; }); }
#endif
