// expect: a function for app.singleton or app.per_loop must return a T or a Result<T>
#include <eider/eider.h>
using namespace eider;
#ifdef FIXED
void add(App& app) { app.singleton([](State<int> number) { return std::to_string(*number); }); }
#else
void add(App& app) {
  app.singleton([](State<int> number) -> Task<std::string> { co_return std::to_string(*number); });
}
#endif
