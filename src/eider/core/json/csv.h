// Lists of flat objects as comma-separated values (RFC 4180).
// Must not read such: what a column holds only its writer knows.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "eider/core/json/value.h"

namespace eider::json {

/// What becomes of texts that a spreadsheet takes for formulas: those that begin with '=', '+',
/// '-', '@', a tab or a line's end. Whoever may write such a text could have it compute, and call
/// out, where another opens the table.
///
/// escape  an apostrophe stands in front, which a program that reads the table has to take off
enum class CsvFormulas : std::uint8_t { escape, leave };

/// A line of names, in the order in which they occur first, and a line for each object; null and
/// what an object has not are empty. Lines end with CRLF; fields are quoted where they have to be.
///
/// returns  nothing where the value is no array, or an element no object of texts, numbers,
///          booleans and nulls; and where it is no table, having more than 1,000 columns, or over
///          10,000 cells of which an eighth have no value
/// cost     linear in what is given
[[nodiscard]] std::optional<std::string> to_csv(const Value& list,
                                                CsvFormulas formulas = CsvFormulas::escape);

/// The same for objects that come one after the other, and so have their columns named beforehand.
class CsvLines {
 public:
  explicit CsvLines(std::vector<std::string> names, CsvFormulas formulas = CsvFormulas::escape);

  /// Appends the line of names; nothing where there are none.
  void put_names(std::string& out) const;
  /// Appends the line of an object. Members that no column is named for are left out.
  ///
  /// returns  false, and nothing is appended, where it is no object of texts, numbers, booleans and
  ///          nulls
  [[nodiscard]] bool put(std::string& out, const Value& object) const;

 private:
  std::vector<std::string> names_;
  CsvFormulas formulas_;
};

}  // namespace eider::json
