// expect: what follows an answer takes no parameters
#include <eider/eider.h>
using namespace eider;
void add(App& app) {
#ifdef FIXED
  app.get("/", [](AfterAnswer after, State<int> number) { after.run([number] { ++*number; }); });
#else
  app.get("/", [](AfterAnswer after) { after.run([](State<int> number) { ++*number; }); });
#endif
}
