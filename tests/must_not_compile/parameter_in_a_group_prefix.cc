// expect: a_group_prefix_cannot_have_parameters__put_them_into_its_routes
#include <eider/eider.h>
#ifdef FIXED
void routes(eider::App& app) { auto users = app.group("/users"); (void)users; }
#else
void routes(eider::App& app) { auto users = app.group("/users/{id}"); (void)users; }
#endif
