// Lets Connector/C check a host by its name, but connect to its resolved address.
// Layering: must not affect other connections.
#pragma once

#include "eider/data/db/mariadb/handles.h"

namespace eider::db::mariadb {

/// Connector/C holds a certificate against what it was told to connect to, and blocks while it
/// looks a name up. Behind this it is told the name, and takes the number.
///
/// connection  that is not connected yet
/// address     "192.0.2.7"; outlives the connecting
/// returns     false where this Connector/C cannot be taught
[[nodiscard]] bool try_set_address(MYSQL& connection, const char* address);

}  // namespace eider::db::mariadb
