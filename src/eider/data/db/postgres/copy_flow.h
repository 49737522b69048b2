// The running COPY of a connection, step by step.
// Layering: must not know the caller; deadlines and cancellation belong to its connection.
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <string>
#include <string_view>
#include <utility>

#include "eider/data/db/job.h"
#include "eider/data/db/postgres/job_progress.h"
#include "eider/data/db/postgres/postgres.h"
#include "eider/data/db/postgres/wire.h"
#include "eider/io/runtime/fd_watch.h"

namespace eider::db::postgres {

class CopyFlow {
 public:
  /// What its connection does next.
  enum class Next : std::uint8_t {
    wait,       // for the socket
    done,       // the step was carried out, or has failed: take_fault
    results,    // of its beginning or its end: they come as those of a script
    cancel,     // what comes is not wanted, and the server is to be told so
    too_large,  // a row
    broken,     // the connection
  };

  /// socket  the connection's, which is watched as it is needed
  CopyFlow(FdWatch& socket, Wire& wire, const PostgresOptions& options) noexcept
      : socket_(socket), wire_(wire), options_(options) {}

  [[nodiscard]] bool is_open() const noexcept { return way_ != Way::none; }
  [[nodiscard]] bool is_in() const noexcept { return way_ == Way::in; }
  [[nodiscard]] bool is_out() const noexcept { return way_ == Way::out; }
  /// It is none any more, and its results come.
  [[nodiscard]] bool is_ending() const noexcept { return is_ending_; }
  /// Of the last one.
  [[nodiscard]] std::string_view sql() const noexcept { return sql_; }

  /// Begins the step that is asked for.
  ///
  /// is_own  its transaction is there for it alone
  [[nodiscard]] Next start(const JobProgress& course, bool is_own);
  /// The server has begun it.
  [[nodiscard]] Next open(bool is_in, const JobProgress& course);
  /// Sends what waits. What the server says meanwhile is that it has failed, or a notice.
  [[nodiscard]] Next send(const JobProgress& course, bool is_late);
  /// Takes what has come.
  ///
  /// is_refused  it is dropped
  [[nodiscard]] Next take(const JobProgress& course, bool is_refused);
  /// The last `take` has found a row.
  [[nodiscard]] bool has_taken() const noexcept { return has_taken_; }
  /// Nobody goes on with it: nothing of it is to be kept.
  [[nodiscard]] Next leave();
  /// Its results have come.
  ///
  /// failure  of these, or null
  /// returns  the same, or what is wrong with the step
  [[nodiscard]] std::exception_ptr finish(const JobProgress& course, std::exception_ptr failure);
  /// What the step fails with; null where nothing is wrong.
  [[nodiscard]] std::exception_ptr take_fault() noexcept { return std::exchange(fault_, nullptr); }

 private:
  enum class Way : std::uint8_t { none, in, out };

  [[nodiscard]] Next begin(std::string_view sql, bool is_own);
  [[nodiscard]] Next end(const char* why);
  [[nodiscard]] bool try_send();

  FdWatch& socket_;
  Wire& wire_;
  const PostgresOptions& options_;
  Way way_ = Way::none;
  bool is_ending_ = false;
  bool has_taken_ = false;
  std::string sql_;
  std::string messages_;  // of the protocol: half of one is none
  std::size_t sent_ = 0;
  std::exception_ptr failure_;  // of the last one, whether or not anybody asked meanwhile
  std::exception_ptr fault_;
};

}  // namespace eider::db::postgres
