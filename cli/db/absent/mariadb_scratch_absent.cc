#include "cli/db/scratch.h"

namespace eider {

Scratch make_mariadb_scratch(const Migrations& /*migrations*/, const std::string& /*server*/) {
  return fail(std::string("this eider was built without the component mariadb"));
}

}  // namespace eider
