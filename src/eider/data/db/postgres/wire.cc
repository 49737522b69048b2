#include "eider/data/db/postgres/wire.h"

#include <openssl/err.h>
#include <openssl/ssl.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <new>
#include <system_error>

#include "eider/data/db/postgres/postgres_error.h"

namespace eider::db::postgres {
namespace {

// Libraries must not print, and libpq would print notices.
void ignore_notice(void* /*unused*/, const PGresult* /*notice*/) {}

}  // namespace

Wire::Progress Wire::begin(const Target& target) {
  const Keywords keywords(target, target.hosts);
  connection_.reset(PQconnectStartParams(keywords.keys(), keywords.values(), 1));
  if (PQstatus(connection_.get()) == CONNECTION_BAD) {
    return Progress::failed;
  }
  PQsetNoticeReceiver(connection_.get(), &ignore_notice, nullptr);
  // Otherwise, libpq does not report the SQLSTATE of a login error.
  PQsetErrorVerbosity(connection_.get(), PQERRORS_VERBOSE);
  guard_.emplace(connection_.get(), target.auth);
  return guard_->after_step() ? Progress::wants_writing : Progress::failed;
}

Wire::Progress Wire::go_on() {
  switch (guard_->before_step()) {
    case LoginGuard::Next::go_on:
      break;
    case LoginGuard::Next::wait:
      return Progress::wants_reading;
    case LoginGuard::Next::refused:
      note_said(one_line(guard_->why()));
      return Progress::failed;
  }
  const PostgresPollingStatusType status = PQconnectPoll(connection_.get());
  if (!guard_->after_step()) {
    note_said("the connection was lost");
    return Progress::failed;
  }
  switch (status) {
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
  return note_login_error();
}

Wire::Progress Wire::note_login_error() {
  LoginError error = read_login_error(PQerrorMessage(connection_.get()));
  note_said(std::move(error.text));
  is_login_rejected_ = error.is_rejected;
  return Progress::failed;
}

bool Wire::set_up() {
  if (!guard_->finish()) {
    note_said("the server sent more than was requested");
    return false;
  }
  guard_.reset();
  PQsetErrorVerbosity(connection_.get(), PQERRORS_DEFAULT);
  if (PQgssEncInUse(connection_.get()) == 1) {
    said_ = "gssencmode must be 'disable': use TLS instead";
    return false;
  }
  sockaddr_storage address{};
  socklen_t size = sizeof address;
  is_local_ = ::getpeername(socket(), reinterpret_cast<sockaddr*>(&address), &size) == 0 &&
              address.ss_family == AF_UNIX;
  if (SSL* const tls = static_cast<SSL*>(PQgetssl(connection_.get())); tls != nullptr) {
    // Reports partial writes for each record. Otherwise, complete rounds may have been sent without
    // notice.
    SSL_set_mode(tls, SSL_MODE_ENABLE_PARTIAL_WRITE);
  }
  reader_.drop_rows(true);
  return PQsetnonblocking(connection_.get(), 1) == 0;
}

std::optional<std::int64_t> Wire::bind(const Prepared* statement, std::span<const Value> values) {
  constexpr std::size_t kValuesMax = 65'535;
  if (values.size() > kValuesMax) {
    throw Failure(FailureKind::values, "a PostgreSQL statement must have at most 65,535 values");
  }
  parameters_.add(values, statement == nullptr ? std::span<const Oid>() : statement->parameters);
  return parameters_.widened();
}

/// Within a round, the columns do not change, because a pooler sends the whole round to one server.
bool Wire::add_prepared(Prepared& statement, std::size_t first, std::size_t count) {
  writer_.bind(statement.name, parameters_, first, count, statement.rows);
  if (std::exchange(statement.described_in, round_) != round_) {
    writer_.describe(MessageWriter::Described::portal, {});
  }
  writer_.execute();
  return writer_.is_good();
}

bool Wire::add_unprepared(std::string_view sql, std::size_t first, std::size_t count) {
  writer_.parse({}, sql, std::span(parameters_.types() + first, count));
  writer_.bind({}, parameters_, first, count, Format::text);
  writer_.describe(MessageWriter::Described::portal, {});
  writer_.execute();
  return writer_.is_good();
}

bool Wire::end_round() try {
  ++round_;
  writer_.sync();
  return writer_.is_good();
} catch (const std::bad_alloc&) {
  return false;
}

bool Wire::send_preparation(const Prepared& statement) {
  writer_.parse(statement.name, statement.sql, {});
  writer_.describe(MessageWriter::Described::statement, statement.name);
  return end_round();
}

bool Wire::send_plain(std::string_view sql) {
  make_room(0);
  writer_.parse({}, sql, {});
  writer_.bind({}, parameters_, 0, 0, Format::text);
  writer_.execute();
  return end_round();
}

/// libpq does not report that its bytes are lost if the server has closed the connection.
bool Wire::send_script(std::string_view sql) {
  if (!reader_.is_empty() || !writer_.waiting().empty() || (!is_in_transaction() && !is_quiet())) {
    return false;
  }
  is_in_script_ = true;
  return PQsendQuery(connection_.get(), std::string(sql).c_str()) == 1;
}

void Wire::end_script() noexcept {
  is_in_script_ = false;
  switch (PQtransactionStatus(connection_.get())) {
    case PQTRANS_IDLE:
      status_ = 'I';
      break;
    case PQTRANS_INTRANS:
      status_ = 'T';
      break;
    default:
      status_ = 'E';
  }
}

Wire::Sent Wire::flush() {
  if (is_in_script_) {
    const int left = PQflush(connection_.get());
    return left == 0 ? Sent::all : left == 1 ? Sent::some : Sent::broken;
  }
  while (!writer_.waiting().empty()) {
    const std::optional<std::size_t> sent = write(writer_.waiting());
    if (!sent) {
      return Sent::broken;
    }
    if (*sent == 0) {
      return Sent::some;
    }
    writer_.note_left(*sent);
  }
  return Sent::all;
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

// An ErrorResponse is 'E', four bytes of length, and 'S' with the severity. Within a COPY, only
// notices can come in addition, and none of them contains this pattern, because two zero bytes only
// occur at its end.
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
  if (is_in_script_) {
    return PQconsumeInput(connection_.get()) == 1 && PQstatus(connection_.get()) != CONNECTION_BAD;
  }
  return receive_past_libpq();
}

bool Wire::receive_past_libpq() {
  std::span<char> room;
  try {
    room = reader_.room();
  } catch (const std::bad_alloc&) {
    note_said("out of memory");
    return false;
  }
  if (SSL* const tls = static_cast<SSL*>(PQgetssl(connection_.get())); tls != nullptr) {
    ERR_clear_error();
    std::size_t got = 0;
    if (SSL_read_ex(tls, room.data(), room.size(), &got) == 1) {
      reader_.note_came(got);
      return true;
    }
    const int error = SSL_get_error(tls, 0);
    if (const char* const why = ERR_reason_error_string(ERR_peek_error());
        error == SSL_ERROR_SSL && why != nullptr) {
      note_said(why);
    }
    return error == SSL_ERROR_WANT_READ || error == SSL_ERROR_WANT_WRITE;
  }
  const ssize_t got = ::recv(socket(), room.data(), room.size(), MSG_DONTWAIT);
  if (got > 0) {
    reader_.note_came(static_cast<std::size_t>(got));
  }
  const bool has_failed = got < 0 && errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR;
  if (has_failed) {
    note_said(std::generic_category().message(errno));
  }
  return got != 0 && !has_failed;
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
  if (!said_.empty()) {
    return said_;
  }
  const bool is_of_libpq = is_in_script_ || PQisnonblocking(connection_.get()) == 0;
  return is_of_libpq           ? one_line(PQerrorMessage(connection_.get()))
         : reader_.is_broken() ? "the server does not follow the protocol"
                               : "the server closed the connection";
}

}  // namespace eider::db::postgres
