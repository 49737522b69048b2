// expect: must not capture by reference
#include <eider/eider.h>
using namespace eider;
Task<> wait(int n);
#ifdef FIXED
void add(App& app, int n) { app.background("x", [n]() -> Task<> { co_await wait(n); }); }
#else
void add(App& app, int n) { app.background("x", [&]() -> Task<> { co_await wait(n); }); }
#endif
