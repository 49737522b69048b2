// expect: an optional of an optional cannot distinguish null from absent: use Nullable<T>
#include <eider/eider.h>
#include <optional>
struct Change {
#ifdef FIXED
  eider::Nullable<int> assignee;
#else
  std::optional<std::optional<int>> assignee;
#endif
};
void routes(eider::App& app) {
  app.patch("/", [](eider::Json<Change> change) { return change->assignee.has_value() ? 1 : 0; });
}
