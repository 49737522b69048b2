#include "eider/protocols/http/multipart_form.h"

#include <algorithm>

#include "eider/protocols/http/grammar.h"

namespace eider {

namespace {

/// "replacing any 0x0A bytes with `%0A`, 0x0D with `%0D` and 0x22 with `%22`".
std::string escaped(std::string_view name) {
  std::string out;
  for (const char byte : name) {
    switch (byte) {
      case '\n':
        out.append("%0A");
        break;
      case '\r':
        out.append("%0D");
        break;
      case '"':
        out.append("%22");
        break;
      default:
        out.push_back(byte);
    }
  }
  return out;
}

std::string disposition(std::string_view name) {
  return "Content-Disposition: form-data; name=\"" + escaped(name) + "\"";
}

}  // namespace

MultipartForm& MultipartForm::add(std::string_view name, std::string_view value) {
  parts_.push_back({disposition(name) + "\r\n", std::string(value)});
  return *this;
}

MultipartForm& MultipartForm::add_file(std::string_view name, std::string_view filename,
                                       std::string_view content_type, std::string_view bytes) {
  const bool is_type = !content_type.empty() && is_field_value(content_type);
  std::string head = disposition(name) + "; filename=\"" + escaped(filename) + "\"\r\n";
  head.append("Content-Type: ")
      .append(is_type ? content_type : "application/octet-stream")
      .append("\r\n");
  parts_.push_back({std::move(head), std::string(bytes)});
  return *this;
}

std::string MultipartForm::to_text(std::string_view boundary) const {
  std::string out;
  for (const Part& part : parts_) {
    out.append("--").append(boundary).append("\r\n").append(part.head).append("\r\n");
    out.append(part.bytes).append("\r\n");
  }
  return out.append("--").append(boundary).append("--\r\n");
}

bool MultipartForm::may_use(std::string_view boundary) const noexcept {
  return std::ranges::none_of(parts_, [boundary](const Part& part) {
    return part.head.contains(boundary) || part.bytes.contains(boundary);
  });
}

}  // namespace eider
