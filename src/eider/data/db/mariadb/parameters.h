// Converts the parameters of a statement for Connector/C.
// Layering: must not change a value to make it fit; such values are rejected.
#pragma once

#include <cstddef>
#include <deque>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "eider/data/db/mariadb/handles.h"
#include "eider/data/db/value.h"

namespace eider::db::mariadb {

class Parameters {
 public:
  /// values  must stay valid until the statement has been sent
  /// order   index of the value for each '?'
  /// sql     for failures
  /// errors  Failure(values)     a real is infinite or NaN, or the number of values is wrong
  ///         Failure(statement)  the server expects another number of parameters
  void bind(MYSQL_STMT& statement, std::span<const Value> values,
            std::span<const std::size_t> order, std::string_view sql);

  /// errors  Failure(values)  infinity or NaN
  [[nodiscard]] static double finite(double real);
  /// Returns the text of an instant or a duration in the server's format, and other texts
  /// unchanged.
  [[nodiscard]] static std::string server_text(const Value& value);

 private:
  void add(const Value& value);
  void point(enum_field_types type, const void* bytes, std::size_t size);

  std::vector<MYSQL_BIND> binds_;
  std::deque<long long> integers_;  // pointers to these must stay valid
  std::deque<double> reals_;
  std::deque<std::string> texts_;
};

}  // namespace eider::db::mariadb
