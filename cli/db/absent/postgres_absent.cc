#include "cli/db/connect.h"
#include "cli/db/scratch.h"

namespace eider {

Result<Database, std::string> connect_postgres(const std::string& /*where*/) {
  return fail(std::string("eider was built without the component postgres"));
}

Result<void, std::string> set_postgres_variables(const std::string& /*where*/) {
  return fail(std::string("eider was built without the component postgres"));
}

bool is_local_postgres(const std::string& /*where*/) {
  return false;
}

Scratch make_postgres_scratch(const Migrations& /*migrations*/, const std::string& /*server*/) {
  return fail(std::string("eider was built without the component postgres"));
}

}  // namespace eider
