#include "eider/client/received.h"

#include "eider/protocols/http/h1/response_body.h"

namespace eider::detail::client {

namespace {

/// Returns the same part in the copy.
std::string_view moved(std::string_view part, std::string_view from, std::string_view to) noexcept {
  return part.empty() ? part
                      : to.substr(static_cast<std::size_t>(part.data() - from.data()), part.size());
}

}  // namespace

void Received::set_head(int its_status, std::span<const Field> its_fields, std::string_view from) {
  arena.reset();
  status = its_status;
  const std::string_view bytes = arena.copy(from);
  const auto copies = arena.make_array<Field>(its_fields.size());
  for (std::size_t index = 0; index < copies.size(); ++index) {
    const Field& field = its_fields[index];
    copies[index] = {moved(field.name, from, bytes), moved(field.value, from, bytes)};
  }
  fields = copies;
}

void Received::set_trailers(std::string_view lines) {
  trailer_lines = lines;
  trailers = h1::split_trailers(trailer_lines);
}

}  // namespace eider::detail::client
