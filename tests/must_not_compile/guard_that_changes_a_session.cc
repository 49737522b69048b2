// expect: a guard cannot change the session
#include <eider/eider.h>
#include <eider/sessions.h>
using namespace eider;
struct Visit { int count = 0; };
#ifdef FIXED
using Taken = Session<const Visit>;
#else
using Taken = Session<>;
#endif
void routes(App& app) {
  app.guard([](Taken session) -> Result<void> {
    if (session.user().empty()) return fail(Error::forbidden("no"));
    return {};
  });
}
