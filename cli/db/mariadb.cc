#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>

#include "cli/db/connect.h"
#include "eider/data/db/mariadb/mariadb.h"
#include "eider/data/db/mariadb/target.h"

namespace eider {
namespace {

using db::mariadb::Host;
using db::mariadb::Target;
using db::mariadb::TlsMode;

/// Returns a line of an options file, with escapes.
std::string option_line(std::string_view name, std::string_view value) {
  std::string line(name);
  line += "=\"";
  for (const char byte : value) {
    if (byte == '\n' || byte == '\r' || byte == '\t') {
      line += byte == '\n' ? "\\n" : byte == '\r' ? "\\r" : "\\t";
    } else {
      line += byte == '"' || byte == '\\' ? "\\" : "";
      line += byte;
    }
  }
  return line + "\"\n";
}

/// Returns the only host that the client can try: the first one that may be reachable.
const Host& host_for_client(const Target& target) {
  const auto found = std::ranges::find_if(target.hosts, [](const Host& host) {
    return !host.is_unix() || ::access(host.address.c_str(), W_OK) == 0;
  });
  return found == target.hosts.end() ? target.hosts.front() : *found;
}

std::string options_for_client(const Target& target) {
  const Host& host = host_for_client(target);
  std::string text = "[client]\ndefault-character-set=utf8mb4\n";
  if (host.is_unix()) {
    text += "protocol=socket\n" + option_line("socket", host.address);
  } else {
    text += "protocol=tcp\n" + option_line("host", host.name);
    text += "port=" + std::to_string(host.port) + "\n";
  }
  const std::pair<const char*, const std::string*> values[] = {
      {"user", &target.user},
      {"password", &target.password},
      {"ssl-ca", &target.tls_ca},
      {"ssl-cert", &target.tls_certificate},
      {"ssl-key", &target.tls_key}};
  for (const auto& [name, value] : values) {
    text += value->empty() ? "" : option_line(name, *value);
  }
  text += target.tls == TlsMode::off ? "" : "ssl\n";
  return text + (target.tls == TlsMode::verify ? "ssl-verify-server-cert\n" : "");
}

/// Creates a file without a name, which programs that this process starts or becomes can read: an
/// argument with a password would be visible to all users.
Result<std::string, std::string> unnamed_file(std::string_view text) {
  const int file = ::memfd_create("options", 0);
  const bool is_written =
      file >= 0 && ::fchmod(file, 0600) == 0 &&
      ::write(file, text.data(), text.size()) == static_cast<ssize_t>(text.size());
  return is_written ? Result<std::string, std::string>("/proc/self/fd/" + std::to_string(file))
                    : fail(std::string("out of memory for the client's options"));
}

}  // namespace

Result<Database, std::string> connect_mariadb(const std::string& where) {
  MariadbOptions options;
  options.limits.statement_time_max = std::chrono::hours(24);
  options.limits.transaction_time_max = std::chrono::hours(24);
  return try_open_mariadb(where, options);
}

bool is_local_mariadb(const std::string& where) {
  const auto target = db::mariadb::read_target(with_plain_scheme(where));
  return target && std::ranges::all_of(target->hosts, [](const auto& host) {
           return host.is_unix() || is_loopback(host.address.empty() ? host.name : host.address);
         });
}

Result<MariadbClient, std::string> mariadb_client_of(const std::string& where) {
  const auto target = db::mariadb::read_target(with_plain_scheme(where));
  if (!target) {
    return fail(std::string(target.error()));
  }
  auto file = unnamed_file(options_for_client(*target));
  if (!file) {
    return fail(std::move(file.error()));
  }
  return MariadbClient{.options_file = std::move(*file), .database = target->database};
}

}  // namespace eider
