// Writes lists of flat objects as comma-separated values (RFC 4180).
// Layering: must not read CSV: the types of its columns are not known.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "eider/core/json/value.h"

namespace eider::json {

/// How to write texts that a spreadsheet treats as formulas: those that start with '=', '+', '-',
/// '@', a tab or a line break, or have one of these four after a ';', a tab or a line break, where
/// some programs start a cell. The author of such a text could run a formula, which can also send
/// data, when another user opens the table. Blanks, quotes and characters that are not displayed
/// may precede it, and the full-width forms of the four count, too. A negative number, such as the
/// text "-12.50" of a Decimal, is no formula.
///
/// escape  an apostrophe is written before the formula; programs that read the table must remove it
enum class CsvFormulas : std::uint8_t { escape, leave };

/// Writes a line of names, in the order of their first occurrence, and a line for each object; null
/// and missing members are empty. Lines end with CRLF; fields are quoted if needed.
///
/// returns  nothing if the value is not an array, or an element is not an object of texts, numbers,
///          booleans and nulls; and if it is not a table: more than 1,000 columns, or over 10,000
///          cells of which less than an eighth have a value
/// cost     linear in the input
[[nodiscard]] std::optional<std::string> to_csv(const Value& list,
                                                CsvFormulas formulas = CsvFormulas::escape);

/// Writes objects one after the other, with given columns.
class CsvLines {
 public:
  explicit CsvLines(std::vector<std::string> names, CsvFormulas formulas = CsvFormulas::escape);

  /// Appends the line of names; nothing without names.
  void put_names(std::string& out) const;
  /// Appends the line of an object. Members without a column are omitted.
  ///
  /// returns  false, and appends nothing, if it is not an object of texts, numbers, booleans and
  ///          nulls
  [[nodiscard]] bool put(std::string& out, const Value& object) const;

 private:
  std::vector<std::string> names_;
  CsvFormulas formulas_;
};

}  // namespace eider::json
