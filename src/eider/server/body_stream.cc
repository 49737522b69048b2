#include "eider/server/body_stream.h"

#include "eider/core/base/failure.h"
#include "eider/core/base/result.h"
#include "eider/protocols/http/h1/response_body.h"

namespace eider {

Task<std::string> BodyStream::collect(std::size_t bytes_max) {
  std::string all;
  // Reject an announced length before the client is asked to send the body (100 Continue).
  if (const auto announced = length()) {
    if (*announced > bytes_max) {
      throw Failure(Error(413, "The request body is larger than this resource accepts."));
    }
  }
  while (true) {
    const std::optional<std::string_view> part = co_await next();
    if (!part) {
      break;
    }
    if (part->size() > bytes_max - all.size()) {
      throw Failure(Error(413, "The request body is larger than this resource accepts."));
    }
    all.append(*part);
  }
  co_return all;
}

std::vector<Field> BodyStream::trailers() const {
  return h1::split_trailers(inbox_->trailer_lines());
}

}  // namespace eider
