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
  /// What the connection must do next.
  enum class Next : std::uint8_t {
    wait,       // for the socket
    done,       // the step has finished, or has failed: see take_fault
    results,    // the results of the start or end are expected, like those of a script
    cancel,     // the rest is not needed, and the server must cancel the COPY
    too_large,  // a row exceeds the limit
    broken,     // the connection is not usable
  };

  /// socket  the watch of the connection, which this changes
  CopyFlow(FdWatch& socket, Wire& wire, const PostgresOptions& options) noexcept
      : socket_(socket), wire_(wire), options_(options) {}

  [[nodiscard]] bool is_open() const noexcept { return way_ != Way::none; }
  [[nodiscard]] bool is_in() const noexcept { return way_ == Way::in; }
  [[nodiscard]] bool is_out() const noexcept { return way_ == Way::out; }
  /// The COPY has ended, and its results are expected.
  [[nodiscard]] bool is_ending() const noexcept { return is_ending_; }
  /// The SQL text of the last COPY.
  [[nodiscard]] std::string_view sql() const noexcept { return sql_; }

  /// Begins the requested step.
  ///
  /// is_own  its transaction has no other statements
  [[nodiscard]] Next start(const JobProgress& course, bool is_own);
  /// The server has started the COPY.
  [[nodiscard]] Next open(bool is_in, const JobProgress& course);
  /// Sends pending bytes. Handles an error or a notice from the server in the meantime.
  [[nodiscard]] Next send(const JobProgress& course, bool is_late);
  /// Reads the received rows.
  ///
  /// is_refused  the rows are discarded
  [[nodiscard]] Next take(const JobProgress& course, bool is_refused);
  /// The last `take` has received a row.
  [[nodiscard]] bool has_taken() const noexcept { return has_taken_; }
  /// The COPY was abandoned: no bytes of it are kept.
  [[nodiscard]] Next leave();
  /// The results have been received.
  ///
  /// failure  of these results, or null
  /// returns  the same, or the failure of the step
  [[nodiscard]] std::exception_ptr finish(const JobProgress& course, std::exception_ptr failure);
  /// Returns the failure of the step, or null.
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
  std::string messages_;  // of the protocol; complete messages
  std::size_t sent_ = 0;
  std::exception_ptr failure_;  // of the last COPY, even without a waiting job
  std::exception_ptr fault_;
};

}  // namespace eider::db::postgres
