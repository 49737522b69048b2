// expect: a handler must be callable as const
#include <eider/eider.h>
#ifdef FIXED
void routes(eider::App& app) { app.get("/", [count = 0] { return count; }); }
#else
void routes(eider::App& app) { app.get("/", [count = 0]() mutable { return ++count; }); }
#endif
