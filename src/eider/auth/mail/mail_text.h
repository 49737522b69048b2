// Encodings of text in a message: folded headers, encoded words, quoted-printable, Base64.
// Layering: must not know which header or part it encodes, and must not reject anything.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace eider::detail::mail {

/// No line is longer, line end not counted, where it can be broken (RFC 5322, section 2.1.1).
inline constexpr std::size_t kLineBytes = 78;

/// Whether the text stands in a field as it is: printable ASCII, single blanks between words, no
/// word that cannot be folded, nothing that looks like an encoded word.
[[nodiscard]] bool is_plain_text(std::string_view text) noexcept;

/// Whether the text can be folded as it is: words of printable ASCII with one blank between, none
/// longer than a line may be (RFC 5322, section 2.1.1). What programs read stands in a field so, or
/// not at all: within addresses, URLs and message ids encoded words are none (RFC 2047, section 5).
[[nodiscard]] bool is_foldable(std::string_view text) noexcept;

/// One field, folded at blanks as it is written.
class FieldWriter {
 public:
  /// Begins it, at the end of `out`.
  FieldWriter(std::string& out, std::string_view name);
  /// Ends it.
  ~FieldWriter() { out_ += "\r\n"; }
  FieldWriter(const FieldWriter&) = delete;
  FieldWriter& operator=(const FieldWriter&) = delete;

  /// A blank and what is not to be parted.
  void add(std::string_view word);
  /// What is_foldable, at its blanks and between the items of a list: "<…>,<…>".
  void add_words(std::string_view words);
  /// Text that people read: plain, or as encoded words (RFC 2047).
  void add_text(std::string_view text);
  void add_encoded(std::string_view text);

 private:
  std::string& out_;
  std::size_t column_;
};

/// `filename` as a parameter: quoted, or else encoded, where it is long in pieces (RFC 2231).
void add_filename(FieldWriter& field, std::string_view filename);

/// How a part's content is written.
struct EncodedContent {
  std::string_view encoding;  // of Content-Transfer-Encoding
  std::string text;           // with CRLF, the last one included
};

/// Text with lines of CRLF or LF, in whichever way is shortest: as it is, quoted-printable, base64.
[[nodiscard]] EncodedContent encode_text(std::string_view text);
/// Any bytes, in base64.
[[nodiscard]] EncodedContent encode_bytes(std::string_view bytes);

}  // namespace eider::detail::mail
