// expect: a function that runs after the response has no parameters
#include <eider/eider.h>
using namespace eider;
void add(App& app) {
#ifdef FIXED
  app.get("/", [](AfterResponse after, State<int> number) { after.run([number] { ++*number; }); });
#else
  app.get("/", [](AfterResponse after) { after.run([](State<int> number) { ++*number; }); });
#endif
}
