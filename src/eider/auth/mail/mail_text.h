// Encodings of text in a message: folded headers, encoded words, quoted-printable, Base64.
// Layering: must not know which header or part it encodes, and must not reject anything.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace eider::detail::mail {

/// Maximum length of a line without its line end, if the line can be broken (RFC 5322, section
/// 2.1.1).
inline constexpr std::size_t kLineBytes = 78;

/// Returns whether the text needs no encoding: printable ASCII, single spaces between words, no
/// word that is too long for a line, nothing that looks like an encoded word.
[[nodiscard]] bool is_plain_text(std::string_view text) noexcept;

/// Returns whether the text can be folded without encoding: words of printable ASCII separated by
/// single spaces, none longer than a line allows (RFC 5322, section 2.1.1). Values for programs
/// must be foldable, because encoded words are not allowed within addresses, URLs and message ids
/// (RFC 2047, section 5).
[[nodiscard]] bool is_foldable(std::string_view text) noexcept;

/// Writes one header, and folds it at spaces.
class FieldWriter {
 public:
  /// Begins the header at the end of `out`.
  FieldWriter(std::string& out, std::string_view name);
  /// Ends the header.
  ~FieldWriter() { out_ += "\r\n"; }
  FieldWriter(const FieldWriter&) = delete;
  FieldWriter& operator=(const FieldWriter&) = delete;

  /// Adds a space and a word that is not folded.
  void add(std::string_view word);
  /// Adds foldable text (see is_foldable); folds at its spaces and between the items of a list:
  /// "<…>,<…>".
  void add_words(std::string_view words);
  /// Adds text for people: plain, or as encoded words (RFC 2047).
  void add_text(std::string_view text);
  void add_encoded(std::string_view text);

 private:
  std::string& out_;
  std::size_t column_;
};

/// Adds `filename` as a parameter: quoted, or encoded if necessary, and in several pieces if it is
/// long (RFC 2231).
void add_filename(FieldWriter& field, std::string_view filename);

/// The encoded content of a part.
struct EncodedContent {
  std::string_view encoding;  // value of Content-Transfer-Encoding
  std::string text;           // with CRLF, also at the end
};

/// Encodes text with lines of CRLF or LF in the shortest way: unchanged, quoted-printable or
/// base64.
[[nodiscard]] EncodedContent encode_text(std::string_view text);
/// Encodes any bytes in base64.
[[nodiscard]] EncodedContent encode_bytes(std::string_view bytes);

}  // namespace eider::detail::mail
