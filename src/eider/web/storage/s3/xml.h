// Reads the XML of S3 responses: elements with text, within limits.
// Layering: must not know elements of S3. No entities but the predefined ones, no document types.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace eider::detail::s3 {

/// Returns one element or text after another. Attributes, comments and processing
/// instructions are skipped. Prefixes of names ("s3:Key") are removed.
///
///     XmlReader reader(text);
///     while (auto event = reader.next()) …
///     if (reader.is_malformed()) …
class XmlReader {
 public:
  static constexpr std::size_t kDepthMax = 32;
  static constexpr std::size_t kBytesMax = std::size_t{16} << 20U;

  enum class Kind : std::uint8_t { start, end, text };
  /// name  of the element that starts or ends
  /// text  decoded; a text may come in several parts
  struct Event {
    Kind kind;
    std::string_view name{};
    std::string text{};
  };

  explicit XmlReader(std::string_view document) noexcept;

  /// Nothing at the end, and after the first error.
  [[nodiscard]] std::optional<Event> next();
  [[nodiscard]] bool is_malformed() const noexcept { return is_malformed_; }

 private:
  std::optional<Event> fail() noexcept;
  std::optional<Event> read_text();
  std::optional<Event> read_start();
  std::optional<Event> read_end();
  std::optional<Event> read_cdata();
  bool skip_to(std::string_view mark) noexcept;
  bool skip_attributes() noexcept;

  std::string_view rest_;
  std::vector<std::string_view> open_;
  /// The end of an element without content (`<a/>`), which is given next.
  std::optional<std::string_view> closes_{};
  bool has_root_ = false;
  bool is_malformed_ = false;
};

/// A tree of elements, as XmlReader reads them.
struct XmlElement {
  std::string name;
  std::string text{};
  std::vector<XmlElement> children{};

  /// The text of the first child of that name; empty if there is none.
  [[nodiscard]] std::string_view text_of(std::string_view child) const noexcept;
};

/// The root element; nothing for malformed documents, and for more than 20,000 elements.
[[nodiscard]] std::optional<XmlElement> read_xml(std::string_view document);

/// `text` for the content of an element.
[[nodiscard]] std::string xml_escape(std::string_view text);

}  // namespace eider::detail::s3
