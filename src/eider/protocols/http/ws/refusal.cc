#include "eider/protocols/http/ws/refusal.h"

#include <iterator>

namespace eider::ws {

namespace {

// In the order of the enum. A test checks each row.
constexpr RefusalInfo kRows[] = {
    {CloseCode::normal, "Nothing was rejected.", ""},

    {CloseCode::protocol_error, "A reserved bit is set.", "RFC 6455, 5.2"},
    {CloseCode::protocol_error, "The opcode is reserved.", "RFC 6455, 5.2"},
    {CloseCode::protocol_error, "A control frame is fragmented.", "RFC 6455, 5.5"},
    {CloseCode::protocol_error, "A control frame is longer than 125 bytes.", "RFC 6455, 5.5"},
    {CloseCode::protocol_error, "A length is not in its shortest form.", "RFC 6455, 5.2"},
    {CloseCode::protocol_error, "A length has its top bit set.", "RFC 6455, 5.2"},
    {CloseCode::protocol_error, "A client's frame is not masked.", "RFC 6455, 5.1"},
    {CloseCode::protocol_error, "A server's frame is masked.", "RFC 6455, 5.1"},

    {CloseCode::protocol_error, "A continuation frame does not continue a message.",
     "RFC 6455, 5.4"},
    {CloseCode::protocol_error, "A message starts inside another message.", "RFC 6455, 5.4"},
    {CloseCode::invalid_data, "The text is not UTF-8.", "RFC 6455, 8.1"},
    {CloseCode::message_too_big, "The message is too large.", "RFC 6455, 7.4.1"},
    {CloseCode::policy_violation, "The message has too many fragments.", "RFC 6455, 10.4"},
    {CloseCode::invalid_data, "The message cannot be decompressed.", "RFC 7692, 6.2"},

    {CloseCode::protocol_error, "A close frame has a body of one byte.", "RFC 6455, 5.5.1"},
    {CloseCode::protocol_error, "The close code is not allowed.", "RFC 6455, 7.4"},
    {CloseCode::invalid_data, "The close reason is not UTF-8.", "RFC 6455, 5.5.1"},
};
static_assert(std::size(kRows) == static_cast<std::size_t>(Refusal::bad_close_reason) + 1);

}  // namespace

const RefusalInfo& refusal_info(Refusal refusal) noexcept {
  return kRows[static_cast<std::size_t>(refusal)];
}

}  // namespace eider::ws
