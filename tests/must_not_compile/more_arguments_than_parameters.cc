// expect: the_handler_takes_more_path_values_than_the_pattern_names
#include <eider/eider.h>
#ifdef FIXED
constexpr auto kHandler = [](int a) { return a; };
#else
constexpr auto kHandler = [](int a, int b) { return a + b; };
#endif
void routes(eider::App& app) { app.get("/add/{a}", kHandler); }
