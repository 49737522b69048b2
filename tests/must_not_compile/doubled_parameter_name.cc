// expect: the_pattern_is_not_valid
#include <eider/eider.h>
#ifdef FIXED
void routes(eider::App& app) { app.get("/{a}/{b}", [](int a, int b) { return a + b; }); }
#else
void routes(eider::App& app) { app.get("/{a}/{a}", [](int a, int b) { return a + b; }); }
#endif
