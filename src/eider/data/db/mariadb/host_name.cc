#include "eider/data/db/mariadb/host_name.h"

#include <ma_pvio.h>

namespace eider::db::mariadb {
namespace {

constexpr int kTransportPlugin = 101;
constexpr unsigned kTransportVersion = 0x0100;

struct TransportPlugin {
  st_mysql_client_plugin plugin;
  PVIO_METHODS* methods;
};

constexpr const char* kAddress = "eider.address";

PVIO_METHODS usual_methods{};
PVIO_METHODS taught_methods{};

/// Connector/C's own, but for the number in place of the name. Others have set none.
my_bool connect_to_address(MARIADB_PVIO* connection, MA_PVIO_CINFO* to) {
  void* address = nullptr;
  char* key = const_cast<char*>(kAddress);
  const char* const name = to->host;
  if (to->type == PVIO_TYPE_SOCKET &&
      mysql_get_optionv(to->mysql, MARIADB_OPT_USERDATA, key, &address) == 0 &&
      address != nullptr) {
    to->host = static_cast<const char*>(address);
  }
  const my_bool has_failed = usual_methods.connect(connection, to);
  to->host = name;  // which the certificate is held against
  return has_failed;
}

/// The part that connects is a plugin, which is built in and asked for by its name.
bool teach(MYSQL& connection) {
  st_mysql_client_plugin* const found =
      mysql_client_find_plugin(&connection, "pvio_socket", kTransportPlugin);
  if (found == nullptr || found->interface_version != kTransportVersion) {
    return false;
  }
  auto* const plugin = reinterpret_cast<TransportPlugin*>(found);
  usual_methods = *plugin->methods;
  taught_methods = usual_methods;
  taught_methods.connect = &connect_to_address;
  plugin->methods = &taught_methods;
  return true;
}

}  // namespace

bool try_set_address(MYSQL& connection, const char* address) {
  static const bool is_taught = teach(connection);
  return is_taught && mysql_optionsv(&connection, MARIADB_OPT_USERDATA, kAddress, address) == 0;
}

}  // namespace eider::db::mariadb
