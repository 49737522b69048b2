// expect: what makes a state returns a T or a Result<T>, at once
#include <eider/eider.h>
using namespace eider;
#ifdef FIXED
void add(App& app) { app.make([](State<int> number) { return std::to_string(*number); }); }
#else
void add(App& app) {
  app.make([](State<int> number) -> Task<std::string> { co_return std::to_string(*number); });
}
#endif
