// expect: kFormFields names a member that the struct does not have
#include <eider/eider.h>
#include <eider/forms.h>
using namespace eider;
struct Street {
  std::string street;
};
struct Stay {
  std::string name;
  Street address;
#ifdef FIXED
  static constexpr FieldText kFormFields[] = {{.member = "address.street", .label = "Where?"}};
#else
  static constexpr FieldText kFormFields[] = {{.member = "address.steet", .label = "Where?"}};
#endif
};
void routes(App& app) {
  app.post("/", [](BoundForm<Stay>) {});
}
