// expect: a handler that streams its response cannot change the session
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
  app.get("/", [](Taken visit, ResponseStream out) -> Task<> {
    co_await out.write(std::to_string(visit->count));
  });
}
