#include "cli/db/connect.h"
#include "cli/db/scratch.h"

namespace eider {

Result<Database, std::string> connect_sqlite(const std::string& /*where*/, Access /*access*/) {
  return fail(std::string("eider was built without the component sqlite"));
}

Scratch make_sqlite_scratch(const Migrations& /*migrations*/) {
  return fail(std::string("eider was built without the component sqlite"));
}

}  // namespace eider
