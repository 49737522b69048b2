#include "eider/db/postgres/wire.h"

#include <openssl/err.h>
#include <openssl/ssl.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>

#include "eider/db/postgres/postgres_error.h"

namespace eider::db::postgres {
namespace {

// The library never prints, and libpq would print notices.
void ignore_notice(void* /*unused*/, const PGresult* /*notice*/) {}

}  // namespace

Wire::Progress Wire::begin(const Target& target) {
  const Keywords keywords(target, target.hosts);
  connection_.reset(PQconnectStartParams(keywords.keys(), keywords.values(), 1));
  if (PQstatus(connection_.get()) == CONNECTION_BAD) {
    return Progress::failed;
  }
  PQsetNoticeReceiver(connection_.get(), &ignore_notice, nullptr);
  return Progress::wants_writing;
}

Wire::Progress Wire::go_on() {
  switch (PQconnectPoll(connection_.get())) {
    case PGRES_POLLING_READING:
      return Progress::wants_reading;
    case PGRES_POLLING_WRITING:
      return Progress::wants_writing;
    case PGRES_POLLING_OK:
      return Progress::done;
    case PGRES_POLLING_FAILED:
    case PGRES_POLLING_ACTIVE:
      break;
  }
  return Progress::failed;
}

bool Wire::set_up() {
  return PQsetnonblocking(connection_.get(), 1) == 0 && PQenterPipelineMode(connection_.get()) == 1;
}

void Wire::bind(const Prepared* statement, std::span<const Value> values) {
  parameters_.add(values, statement == nullptr ? std::span<const Oid>() : statement->parameters);
}

bool Wire::add_prepared(const Prepared& statement, std::size_t first, std::size_t count) {
  return PQsendQueryPrepared(connection_.get(), statement.name.c_str(), static_cast<int>(count),
                             parameters_.values() + first, parameters_.lengths() + first,
                             parameters_.formats() + first, static_cast<int>(statement.rows)) == 1;
}

bool Wire::add_unprepared(std::string_view sql, std::size_t first, std::size_t count) {
  return PQsendQueryParams(connection_.get(), std::string(sql).c_str(), static_cast<int>(count),
                           parameters_.types() + first, parameters_.values() + first,
                           parameters_.lengths() + first, parameters_.formats() + first,
                           static_cast<int>(Format::text)) == 1;
}

bool Wire::end_round() {
  return PQpipelineSync(connection_.get()) == 1;
}

bool Wire::send_preparation(const Prepared& statement) {
  const char* name = statement.name.c_str();
  return PQsendPrepare(connection_.get(), name, statement.sql.c_str(), 0, nullptr) == 1 &&
         PQsendDescribePrepared(connection_.get(), name) == 1 && end_round();
}

bool Wire::send_plain(const char* sql) {
  return PQsendQueryParams(connection_.get(), sql, 0, nullptr, nullptr, nullptr, nullptr, 0) == 1 &&
         end_round();
}

bool Wire::send_script(std::string_view sql) {
  return PQexitPipelineMode(connection_.get()) == 1 &&
         PQsendQuery(connection_.get(), std::string(sql).c_str()) == 1;
}

bool Wire::end_script() {
  return PQenterPipelineMode(connection_.get()) == 1;
}

Wire::Sent Wire::flush() {
  switch (PQflush(connection_.get())) {
    case 0:
      return Sent::all;
    case 1:
      return Sent::some;
    default:
      return Sent::broken;
  }
}

std::optional<std::size_t> Wire::write(std::string_view messages) {
  SSL* const tls = static_cast<SSL*>(PQgetssl(connection_.get()));
  if (tls == nullptr) {
    const ssize_t sent =
        ::send(socket(), messages.data(), messages.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    const bool is_full = sent < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR);
    return is_full ? std::optional<std::size_t>(0)
                   : (sent < 0 ? std::nullopt : std::optional(static_cast<std::size_t>(sent)));
  }
  ERR_clear_error();
  std::size_t sent = 0;
  if (SSL_write_ex(tls, messages.data(), messages.size(), &sent) == 1) {
    return sent;
  }
  const int error = SSL_get_error(tls, 0);
  return error == SSL_ERROR_WANT_WRITE || error == SSL_ERROR_WANT_READ
             ? std::optional<std::size_t>(0)
             : std::nullopt;
}

// An ErrorResponse is 'E', four bytes of length, and 'S' with the severity. Within a COPY only
// notices come beside it, and no part of one looks so: it has no two zero bytes ahead of its end.
bool Wire::is_error_next() const noexcept {
  std::array<char, 6> head{};
  SSL* const tls = static_cast<SSL*>(PQgetssl(connection_.get()));
  std::size_t got = 0;
  if (tls != nullptr) {
    ERR_clear_error();
    (void)SSL_peek_ex(tls, head.data(), head.size(), &got);
  } else if (const ssize_t seen =
                 ::recv(socket(), head.data(), head.size(), MSG_PEEK | MSG_DONTWAIT);
             seen > 0) {
    got = static_cast<std::size_t>(seen);
  }
  return got > 0 && head[0] == 'E' && head[1] == '\0' && (got < head.size() || head.back() == 'S');
}

bool Wire::end_copy(const char* fault) {
  return PQputCopyEnd(connection_.get(), fault) == 1;
}

Wire::Copied Wire::take_copied() {
  char* row = nullptr;
  const int bytes = PQgetCopyData(connection_.get(), &row, 1);
  return {.row = TextHandle(row),
          .bytes = bytes > 0 ? static_cast<std::size_t>(bytes) : 0,
          .is_over = bytes < 0};
}

bool Wire::receive() {
  return PQconsumeInput(connection_.get()) == 1 && PQstatus(connection_.get()) != CONNECTION_BAD;
}

bool Wire::has_more() const noexcept {
  return PQsslInUse(connection_.get()) == 1 &&
         SSL_pending(static_cast<const SSL*>(PQgetssl(connection_.get()))) > 0;
}

std::size_t Wire::waiting_bytes() const noexcept {
  int bytes = 0;
  return ::ioctl(socket(), FIONREAD, &bytes) == 0 ? static_cast<std::size_t>(bytes) : 0;
}

bool Wire::is_quiet() const noexcept {
  char byte = 0;
  return ::recv(socket(), &byte, 1, MSG_PEEK | MSG_DONTWAIT) < 0 &&
         (errno == EAGAIN || errno == EWOULDBLOCK);
}

void Wire::drop_notices() {
  while (take_notice() != nullptr) {
  }
}

std::string Wire::error() const {
  return one_line(PQerrorMessage(connection_.get()));
}

}  // namespace eider::db::postgres
