// expect: a WebSocket handler outlives its request
#include <eider/eider.h>
#include <eider/sessions.h>
using namespace eider;
struct Visit { int count = 0; };
#ifdef FIXED
using Taken = Session<const Visit>;
#else
using Taken = Session<Visit>;
#endif
void routes(App& app) {
  app.ws("/", [](Taken visit, WebSocket socket) -> Task<> {
    co_await socket.send(std::to_string(visit->count));
  });
}
