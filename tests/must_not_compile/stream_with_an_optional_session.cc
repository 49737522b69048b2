// expect: a handler that streams its response cannot change the session
#include <eider/eider.h>
#include <eider/sessions.h>
using namespace eider;
struct Visit { int count = 0; };
#ifdef FIXED
using Taken = std::optional<Session<const Visit>>;
#else
using Taken = std::optional<Session<Visit>>;
#endif
void routes(App& app) {
  app.get("/", [](Taken visit, ResponseStream out) -> Task<> {
    co_await out.write(std::to_string((*visit)->count));
  });
}
