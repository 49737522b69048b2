// expect: must not capture by reference
#include <eider/eider.h>
using namespace eider;
void add(App& app) {
  app.get("/", [](AfterResponse after) {
    int number = 0;
#ifdef FIXED
    after.run([number]() -> Task<> { co_await sleep_for(Duration(number)); });
#else
    after.run([&number]() -> Task<> { co_await sleep_for(Duration(number)); });
#endif
  });
}
