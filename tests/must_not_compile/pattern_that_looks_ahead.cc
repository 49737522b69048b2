// expect: the_pattern_has_a_lookaround_or_a_named_group
#include <eider/eider.h>
#include <string>
#ifdef FIXED
using Name = eider::Validated<std::string, eider::Matches<"(?:a)b">>;
#else
using Name = eider::Validated<std::string, eider::Matches<"(?=a)b">>;
#endif
struct User {
  Name name;
};
void routes(eider::App& app) { app.post("/", [](eider::Json<User> user) { return *user; }); }
