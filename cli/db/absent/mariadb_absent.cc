#include "cli/db/connect.h"
#include "cli/db/scratch.h"

namespace eider {

Result<Database, std::string> connect_mariadb(const std::string& /*where*/) {
  return fail(std::string("eider was built without the component mariadb"));
}

Result<MariadbClient, std::string> mariadb_client_of(const std::string& /*where*/) {
  return fail(std::string("eider was built without the component mariadb"));
}

bool is_local_mariadb(const std::string& /*where*/) {
  return false;
}

Scratch make_mariadb_scratch(const Migrations& /*migrations*/, const std::string& /*server*/) {
  return fail(std::string("eider was built without the component mariadb"));
}

}  // namespace eider
