#include "cli/db/scratch.h"

namespace eider {

Scratch make_sqlite_scratch(const Migrations& /*migrations*/) {
  return fail(std::string("this eider was built without the component sqlite"));
}

}  // namespace eider
