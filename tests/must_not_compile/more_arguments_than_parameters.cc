// expect: the_handler_has_more_path_parameters_than_the_pattern
#include <eider/eider.h>
#ifdef FIXED
constexpr auto kHandler = [](int a) { return a; };
#else
constexpr auto kHandler = [](int a, int b) { return a + b; };
#endif
void routes(eider::App& app) { app.get("/add/{a}", kHandler); }
