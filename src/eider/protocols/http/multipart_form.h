// Builds multipart/form-data (RFC 7578) in memory.
// Layering: must not read files: the caller passes their bytes.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace eider {

class MultipartForm {
 public:
  /// Adds a field. name, value  any bytes; quotes and line breaks in a name are percent-encoded
  MultipartForm& add(std::string_view name, std::string_view value);
  /// Adds a file. content_type  such as "image/png"; "application/octet-stream" if it is not valid
  MultipartForm& add_file(std::string_view name, std::string_view filename,
                          std::string_view content_type, std::string_view bytes);

  /// Returns the whole body. boundary  1 to 70 bytes that no part contains
  /// source   RFC 7578, section 4; WHATWG HTML, 4.10.21.8
  [[nodiscard]] std::string to_text(std::string_view boundary) const;
  /// Returns whether no part contains the boundary.
  [[nodiscard]] bool may_use(std::string_view boundary) const noexcept;

 private:
  struct Part {
    std::string head;  // all field lines
    std::string bytes;
  };
  std::vector<Part> parts_;
};

}  // namespace eider
