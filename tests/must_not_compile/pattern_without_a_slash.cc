// expect: the_pattern_is_not_valid__write_slash
#include <eider/eider.h>
#ifdef FIXED
void routes(eider::App& app) { app.get("/hello", [] { return "hello"; }); }
#else
void routes(eider::App& app) { app.get("hello", [] { return "hello"; }); }
#endif
