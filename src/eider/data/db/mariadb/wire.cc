#include "eider/data/db/mariadb/wire.h"

#include <fcntl.h>
#include <ma_pvio.h>
#include <sys/socket.h>

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "eider/io/runtime/sleep.h"

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

/// Calls Connector/C's function with the address instead of the name, if an address was set.
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
  to->host = name;  // the certificate is compared with this
  return has_failed;
}

/// The part that connects is a built-in plugin, which is found by its name.
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

/// Connector/C compares a certificate with the host that it connects to, and blocks while it
/// resolves a name. After this call, it uses the name for the certificate, and the address to
/// connect.
///
/// connection  not connected yet
/// address     "192.0.2.7"; must stay valid until the connection is established
/// returns     false if this version of Connector/C does not support it
bool try_set_address(MYSQL& connection, const char* address) {
  static const bool is_taught = teach(connection);
  return is_taught && mysql_optionsv(&connection, MARIADB_OPT_USERDATA, kAddress, address) == 0;
}

/// Connector/C runs blocking operations on a separate stack, including the verification of
/// certificates.
constexpr std::size_t kStackBytes = std::size_t{192} << 10U;
constexpr std::size_t kPacketBytesMax = std::size_t{1} << 30U;
constexpr std::size_t kPacketBytesMin = std::size_t{64} << 10U;
constexpr int kTimeoutsMax = 64;
/// Rows that are read in one turn: received bytes are read without waiting, and may be a large
/// result.
constexpr std::size_t kBytesPerTurn = std::size_t{256} << 10U;
constexpr std::int64_t kRowsPerTurn = 1000;
/// A server may request any plugin that exists on this machine, such as one that sends the password
/// in clear text, or one that prompts on the terminal.
constexpr const char* kLogins = "mysql_native_password,client_ed25519";
/// caching_sha2_password sends the password itself if the server requests it: over TLS in clear
/// text, otherwise encrypted with any key that the server sends. So it is only allowed if the
/// server is authenticated.
constexpr const char* kLoginsOfKnown = "mysql_native_password,client_ed25519,caching_sha2_password";
// A server may request any file of this machine. A flag disables this, and if it were ignored,
// these functions would send no file.
int refuse_file(void** /*state*/, const char* /*name*/, void* /*data*/) {
  return 1;
}
int read_no_file(void* /*state*/, char* /*to*/, unsigned /*size*/) {
  return -1;
}
void end_no_file(void* /*state*/) {}
int tell_no_file(void* /*state*/, char* to, unsigned size) {
  (void)std::strncpy(to, "sending files is not allowed", size);
  return 2000;
}

/// Returns the memory that Connector/C uses for the rows of one fetch, which it reads completely.
std::size_t bytes_in(const MA_MEM_ROOT& kept) noexcept {
  std::size_t bytes = 0;
  for (const MA_USED_MEM* first : {kept.used, kept.free}) {
    for (const MA_USED_MEM* block = first; block != nullptr; block = block->next) {
      bytes += block->size;
    }
  }
  return bytes;
}

void begin_library() {
  static const int begun = mysql_library_init(0, nullptr, nullptr);
  (void)begun;
}

const char* or_null(const std::string& text) noexcept {
  return text.empty() ? nullptr : text.c_str();
}

ServerError error_of(MYSQL* connection) {
  return {mysql_errno(connection), mysql_sqlstate(connection), mysql_error(connection)};
}

}  // namespace

// Waiting.

/// returns  false if there is nothing to wait for
bool Wire::try_watch(int waits) {
  if (has_given_up()) {
    return false;
  }
  const int socket = mysql_get_socket(connection_.get());
  if (socket != socket_ || !watched_.is_open()) {
    stop();
    watched_ = Descriptor(::fcntl(socket, F_DUPFD_CLOEXEC, 0));
    socket_ = socket;
  }
  if (!watched_.is_open()) {
    given_up_ = "no file descriptors are available";
    return false;
  }
  const bool is_writing = (waits & MYSQL_WAIT_WRITE) != 0;
  const bool is_reading = (waits & MYSQL_WAIT_READ) != 0;
  const Readiness wanted = !is_writing  ? Readiness::readable
                           : is_reading ? Readiness::both
                                        : Readiness::writable;
  if (!is_watching() || wanted != wanted_) {
    watch(watched_.get(), wanted);
    wanted_ = wanted;
  }
  return true;
}

/// After a timeout, Connector/C ends its operation and frees its memory; if it continues to wait,
/// it is abandoned.
int Wire::take_occurred() {
  if (!has_given_up()) {
    return std::exchange(occurred_, 0);
  }
  if (++timeouts_told_ > kTimeoutsMax) {
    throw Broken{given_up_};
  }
  return MYSQL_WAIT_TIMEOUT;
}

void Wire::on_ready(Readiness what) {
  if (waiting_ != nullptr) {
    occurred_ =
        (is_readable(what) ? MYSQL_WAIT_READ : 0) | (is_writable(what) ? MYSQL_WAIT_WRITE : 0);
    std::exchange(waiting_, nullptr).resume();
  } else if (is_writable(what) && !is_readable(what)) {
    rest();
  } else {
    stop();
    on_unasked_();
  }
}

void Wire::rest() {
  if (watched_.is_open()) {
    watch(watched_.get(), Readiness::readable);
    wanted_ = Readiness::readable;
  }
}

void Wire::give_up(std::string why) {
  if (is_busy_ && !has_given_up()) {
    given_up_ = std::move(why);
    if (waiting_ != nullptr) {
      std::exchange(waiting_, nullptr).resume();
    }
  }
}

bool Wire::is_there() const noexcept {
  char byte = 0;
  const ssize_t got =
      ::recv(mysql_get_socket(connection_.get()), &byte, 1, MSG_PEEK | MSG_DONTWAIT);
  // Unexpected bytes come before the end of the connection.
  return got < 0 && (errno == EAGAIN || errno == EINTR);
}

void Wire::close() noexcept {
  stop();
  if (connection_ != nullptr && is_busy_) {
    if (const int socket = mysql_get_socket(connection_.get()); socket >= 0) {
      (void)::shutdown(socket, SHUT_RDWR);  // otherwise it would wait to send its last message
    }
  }
  connection_.reset();
  dropped_.clear();
  watched_ = Descriptor();
  socket_ = -1;
  waiting_ = nullptr;
  given_up_.clear();
  timeouts_told_ = 0;
  is_busy_ = false;
  is_session_changed_ = false;
}

bool Wire::takes_bulk() const noexcept {
  unsigned long long capabilities = 0;
  return mariadb_get_infov(connection_.get(), MARIADB_CONNECTION_EXTENDED_SERVER_CAPABILITIES,
                           &capabilities) == 0 &&
         (capabilities & (MARIADB_CLIENT_STMT_BULK_OPERATIONS >> 32U)) != 0;
}

// Failing.

void Wire::fail(ServerError error) {
  if (has_given_up()) {
    throw Broken{given_up_};
  }
  if (error.is_of_client() || error.ends_connection()) {
    const FailureKind kind = error.is_of_client() ? FailureKind::lost : kind_of(error);
    throw Broken{std::move(error.message), kind};
  }
  is_busy_ = false;
  throw Refused{std::move(error)};
}

void Wire::fail() {
  fail(mariadb::error_of(connection_.get()));
}

/// Some errors of a connection are not reported for the statement.
ServerError Wire::error_of(MYSQL_STMT& statement) {
  if (mysql_stmt_errno(&statement) == 0) {
    return mariadb::error_of(connection_.get());
  }
  return {mysql_stmt_errno(&statement), mysql_stmt_sqlstate(&statement),
          mysql_stmt_error(&statement)};
}

/// MySQL also sets the flag for each begin and commit, and reports the reason; MariaDB does not set
/// it for these, and reports no reason after rows.
void Wire::note_status() noexcept {
  MYSQL* const on = connection_.get();
  const char* told = nullptr;
  std::size_t bytes = 0;
  is_session_changed_ = is_session_changed_ ||
                        ((on->server_status & SERVER_SESSION_STATE_CHANGED) != 0 &&
                         (is_mariadb() || mysql_session_track_get_first(
                                              on, SESSION_TRACK_STATE_CHANGE, &told, &bytes) == 0));
}

// Connecting.

void Wire::set_options(const Host& host, const Target& target, std::size_t packet_bytes_max) {
  MYSQL* const to = connection_.get();
  const std::size_t packet = std::clamp(packet_bytes_max, kPacketBytesMin, kPacketBytesMax);
  const my_bool yes = 1;
  const unsigned no = 0;
  mysql_options(to, MYSQL_OPT_NONBLOCK, &kStackBytes);
  mysql_options(to, MYSQL_SET_CHARSET_NAME, "utf8mb4");
  mysql_options(to, MYSQL_OPT_LOCAL_INFILE, &no);
  mysql_set_local_infile_handler(to, &refuse_file, &read_no_file, &end_no_file, &tell_no_file,
                                 nullptr);
  mysql_options(to, MYSQL_OPT_MAX_ALLOWED_PACKET, &packet);
  const bool is_known = host.is_unix() || target.tls == TlsMode::verify;
  mysql_optionsv(to, MARIADB_OPT_RESTRICTED_AUTH, is_known ? kLoginsOfKnown : kLogins);
  // The server's default plugin may not be allowed, even if that of the user is.
  mysql_options(to, MYSQL_DEFAULT_AUTH, "mysql_native_password");
  mysql_options4(to, MYSQL_OPT_CONNECT_ATTR_ADD, "program_name", "eider");
  const unsigned protocol = host.is_unix() ? MYSQL_PROTOCOL_SOCKET : MYSQL_PROTOCOL_TCP;
  mysql_options(to, MYSQL_OPT_PROTOCOL, &protocol);
  if (target.tls != TlsMode::off) {
    mysql_options(to, MYSQL_OPT_SSL_ENFORCE, &yes);
    mysql_ssl_set(to, or_null(target.tls_key), or_null(target.tls_certificate),
                  or_null(target.tls_ca), nullptr, nullptr);
  }
  if (target.tls == TlsMode::verify) {
    mysql_options(to, MYSQL_OPT_SSL_VERIFY_SERVER_CERT, &yes);
  }
}

Task<> Wire::connect(const Host& host, const Target& target, std::size_t packet_bytes_max) {
  close();
  begin_library();
  connection_.reset(mysql_init(nullptr));
  if (connection_ == nullptr) {
    throw Broken{"out of memory"};
  }
  set_options(host, target, packet_bytes_max);
  const bool is_unix = host.is_unix();
  const bool is_by_name = target.tls == TlsMode::verify && host.name != host.address;
  if (is_by_name && !try_set_address(*connection_, host.address.c_str())) {
    throw Broken{"with this version of Connector/C, tls=verify requires the host as a number"};
  }
  const std::string& server = is_by_name ? host.name : host.address;
  is_busy_ = true;
  MYSQL* made = nullptr;
  for (int waits = mysql_real_connect_start(
           &made, connection_.get(), is_unix ? nullptr : server.c_str(), target.user.c_str(),
           target.password.c_str(), or_null(target.database), host.port,
           is_unix ? host.address.c_str() : nullptr, CLIENT_FOUND_ROWS);
       waits != 0;) {
    waits = mysql_real_connect_cont(&made, connection_.get(), co_await ready(waits));
  }
  if (made == nullptr) {
    ServerError error = mariadb::error_of(connection_.get());
    if (error.message.contains("restricted_auth")) {  // its plugin name is misleading
      error.message =
          "the server requires an unsupported authentication method (caching_sha2_password needs a "
          "Unix socket or tls=verify)";
    }
    fail(std::move(error));
  }
  // If Connector/C does not verify the certificate, it continues without TLS if the server has
  // none.
  if (target.tls != TlsMode::off && mysql_get_ssl_cipher(made) == nullptr) {
    throw Broken{"the server does not support TLS"};
  }
  (void)::fcntl(mysql_get_socket(connection_.get()), F_SETFD, FD_CLOEXEC);
  is_busy_ = false;
}

// Text.

Task<> Wire::drop_rows() {
  ResultHandle result(mysql_use_result(connection_.get()));
  if (result == nullptr) {
    co_return;
  }
  MYSQL_RES* const dropped = result.release();
  for (int waits = mysql_free_result_start(dropped); waits != 0;) {
    waits = mysql_free_result_cont(dropped, co_await ready(waits));
  }
}

Task<bool> Wire::go_to_next_result() {
  if (mysql_more_results(connection_.get()) == 0) {
    co_return false;
  }
  int next = 0;
  for (int waits = mysql_next_result_start(&next, connection_.get()); waits != 0;) {
    waits = mysql_next_result_cont(&next, connection_.get(), co_await ready(waits));
  }
  if (next > 0) {
    fail();
  }
  co_return next == 0;
}

Task<Changed> Wire::query(std::string sql) {
  MYSQL* const on = connection_.get();
  is_busy_ = true;
  int failed = 0;
  for (int waits = mysql_real_query_start(&failed, on, sql.data(), sql.size()); waits != 0;) {
    waits = mysql_real_query_cont(&failed, on, co_await ready(waits));
  }
  if (failed != 0) {
    fail();
  }
  Changed changed;
  bool has_result = true;
  while (has_result) {
    note_status();
    if (mysql_field_count(on) == 0) {
      changed = {static_cast<std::int64_t>(mysql_affected_rows(on)),
                 static_cast<std::int64_t>(mysql_insert_id(on))};
    } else {
      co_await drop_rows();
    }
    has_result = co_await go_to_next_result();
  }
  if (has_given_up() || mysql_errno(on) != 0) {
    fail();
  }
  is_busy_ = false;
  co_return changed;
}

Task<std::string> Wire::ask(std::string sql) {
  MYSQL* const on = connection_.get();
  is_busy_ = true;
  int failed = 0;
  for (int waits = mysql_real_query_start(&failed, on, sql.data(), sql.size()); waits != 0;) {
    waits = mysql_real_query_cont(&failed, on, co_await ready(waits));
  }
  MYSQL_RES* got = nullptr;
  if (failed == 0) {
    for (int waits = mysql_store_result_start(&got, on); waits != 0;) {
      waits = mysql_store_result_cont(&got, on, co_await ready(waits));
    }
  }
  const ResultHandle result(got);
  if (result == nullptr) {
    fail();
  }
  const MYSQL_ROW row = mysql_fetch_row(result.get());
  const unsigned long* lengths = mysql_fetch_lengths(result.get());
  is_busy_ = false;
  co_return row == nullptr || row[0] == nullptr ? std::string() : std::string(row[0], lengths[0]);
}

Task<> Wire::allow_several(bool is_allowed) {
  is_busy_ = true;
  int failed = 0;
  const auto option =
      is_allowed ? MYSQL_OPTION_MULTI_STATEMENTS_ON : MYSQL_OPTION_MULTI_STATEMENTS_OFF;
  for (int waits = mysql_set_server_option_start(&failed, connection_.get(), option); waits != 0;) {
    waits = mysql_set_server_option_cont(&failed, connection_.get(), co_await ready(waits));
  }
  if (failed != 0) {
    fail();
  }
  is_busy_ = false;
}

// Prepared statements.

Task<StatementHandle> Wire::prepare(const std::string& sql) {
  is_busy_ = true;
  StatementHandle statement(mysql_stmt_init(connection_.get()));
  if (statement == nullptr) {
    throw Broken{"out of memory"};
  }
  int failed = 0;
  for (int waits = mysql_stmt_prepare_start(&failed, statement.get(), sql.data(), sql.size());
       waits != 0;) {
    waits = mysql_stmt_prepare_cont(&failed, statement.get(), co_await ready(waits));
  }
  if (failed != 0) {
    ServerError error = error_of(*statement);
    if (has_given_up() || error.ends_connection()) {
      dropped_.push_back(std::move(statement));
    } else {
      co_await forget(std::move(statement));
    }
    fail(std::move(error));
  }
  is_busy_ = false;
  co_return statement;
}

Task<> Wire::forget(StatementHandle statement) {
  is_busy_ = true;
  my_bool failed = 0;
  MYSQL_STMT* const forgotten = statement.release();
  for (int waits = mysql_stmt_close_start(&failed, forgotten); waits != 0;) {
    waits = mysql_stmt_close_cont(&failed, forgotten, co_await ready(waits));
  }
  if (failed != 0 || has_given_up()) {
    throw Broken{has_given_up() ? given_up_ : "a prepared statement could not be closed"};
  }
  is_busy_ = false;
}

/// returns  whether there is a row
Task<bool> Wire::fetch(MYSQL_STMT& statement, std::size_t bytes_max) {
  int fetched = 0;
  for (int waits = mysql_stmt_fetch_start(&fetched, &statement); waits != 0;) {
    if (bytes_in(statement.result.alloc) > bytes_max) {
      throw Broken{"one batch of rows is larger than result_bytes_max", FailureKind::row};
    }
    waits = mysql_stmt_fetch_cont(&fetched, &statement, co_await ready(waits));
  }
  if (fetched != 0 && fetched != MYSQL_DATA_TRUNCATED && fetched != MYSQL_NO_DATA) {
    fail(error_of(statement));
  }
  co_return fetched != MYSQL_NO_DATA;
}

Task<std::int64_t> Wire::fetch_all(MYSQL_STMT& statement, RowFlow& flow) {
  flow.on_result(statement);
  std::int64_t rows = 0;
  std::int64_t next_rows = kRowsPerTurn;
  std::size_t next_bytes = flow.bytes() + kBytesPerTurn;
  while (co_await fetch(statement, kPacketBytesMax)) {
    ++rows;
    flow.on_row(statement);
    if (rows >= next_rows || flow.bytes() >= next_bytes) {
      co_await let_others_run();
      next_rows = rows + kRowsPerTurn;
      next_bytes = flow.bytes() + kBytesPerTurn;
    }
  }
  co_return rows;
}

// The socket is not watched in the meantime, because its bytes belong to this statement.
Task<> Wire::let_others_run() {
  stop();
  co_await yield_now();
  if (has_given_up()) {
    throw Broken{given_up_};
  }
}

Task<> Wire::run(MYSQL_STMT& statement) {
  is_busy_ = true;
  int failed = 0;
  for (int waits = mysql_stmt_execute_start(&failed, &statement); waits != 0;) {
    waits = mysql_stmt_execute_cont(&failed, &statement, co_await ready(waits));
  }
  if (failed != 0) {
    fail(error_of(statement));
  }
  note_status();
}

Task<> Wire::open_cursor(MYSQL_STMT& statement) {
  const unsigned long type = CURSOR_TYPE_READ_ONLY;
  mysql_stmt_attr_set(&statement, STMT_ATTR_CURSOR_TYPE, &type);
  co_await run(statement);
  is_busy_ = false;
}

Task<bool> Wire::fetch_some(MYSQL_STMT& statement, RowFlow& flow, std::size_t bytes_max) {
  is_busy_ = true;
  flow.on_result(statement);
  bool has_row = true;
  while (has_row && !flow.is_full()) {
    has_row = co_await fetch(statement, bytes_max);
    if (has_row) {
      flow.on_row(statement);
    }
  }
  is_busy_ = false;
  co_return !has_row;
}

Task<Changed> Wire::execute(MYSQL_STMT& statement, RowFlow& flow) {
  co_await run(statement);
  int failed = 0;
  Changed changed;
  bool has_rows = false;
  while (true) {
    note_status();
    if (mysql_stmt_field_count(&statement) != 0) {
      const std::int64_t rows = co_await fetch_all(statement, flow);
      changed.rows = has_rows ? changed.rows : rows;
      has_rows = true;
    } else if (!has_rows) {  // after the rows of a procedure, its end is reported
      changed.rows = static_cast<std::int64_t>(mysql_stmt_affected_rows(&statement));
    }
    changed.last_insert_id = static_cast<std::int64_t>(mysql_stmt_insert_id(&statement));
    if (mysql_stmt_more_results(&statement) == 0) {
      break;
    }
    for (int waits = mysql_stmt_next_result_start(&failed, &statement); waits != 0;) {
      waits = mysql_stmt_next_result_cont(&failed, &statement, co_await ready(waits));
    }
    if (failed > 0) {
      fail(error_of(statement));
    }
  }
  note_status();
  is_busy_ = false;
  co_return changed;
}

}  // namespace eider::db::mariadb
