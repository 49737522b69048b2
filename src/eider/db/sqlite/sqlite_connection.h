// One connection to an SQLite file, used by one thread.
// Must not be included outside of this folder.
#pragma once

#include <memory>
#include <string>

#include "eider/db/connection.h"
#include "eider/db/sqlite/sqlite.h"
#include "eider/db/sqlite/statement_cache.h"

struct sqlite3;

namespace eider::db {

class SqliteConnection final : public Connection {
 public:
  enum class Role : std::uint8_t { reads, writes };
  /// The path of a database that is no file.
  static constexpr const char* kInMemory = ":memory:";

  /// errors  Failure(open), thrown: names the file and the mend
  SqliteConnection(const std::string& path, Role role, const SqliteOptions& options);
  ~SqliteConnection() override;

  [[nodiscard]] std::optional<Changed> run(std::string_view sql, std::span<const Value> values,
                                           RowSink* rows, const Limit& limit) override;
  void script(std::string_view sql) override;
  void begin() override;
  void commit() override;
  void roll_back() noexcept override;

 private:
  struct Close {
    void operator()(sqlite3* handle) const noexcept;
  };
  class Run;

  void open(const std::string& path, unsigned mode);
  void set_up(const SqliteOptions& options);
  void set_up_schema(const std::string& path, const std::string& schema);
  void add_last_insert_rowid();
  void execute(const char* sql);
  void run_all(const std::string& sql);
  [[nodiscard]] bool is_in_transaction() const noexcept;
  static int ask_limit(void* connection) noexcept;

  Role role_;
  std::unique_ptr<sqlite3, Close> handle_;
  StatementCache cache_;
  const Limit* limit_ = nullptr;      // of the statement that runs
  bool only_reads_ = false;           // the statement that runs
  std::int64_t inserted_before_ = 0;  // by the statements before the one that runs
};

}  // namespace eider::db
