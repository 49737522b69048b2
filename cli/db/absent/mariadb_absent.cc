#include "cli/db/doors.h"

namespace eider {

Result<Database, std::string> open_mariadb_door(const std::string& /*where*/) {
  return fail(std::string("this eider was built without the component mariadb"));
}

Result<MariadbClient, std::string> mariadb_client_of(const std::string& /*where*/) {
  return fail(std::string("this eider was built without the component mariadb"));
}

}  // namespace eider
