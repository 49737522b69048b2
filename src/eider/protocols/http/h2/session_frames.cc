// Session: checks each frame before nghttp2 gets it. Counts floods, including frames that nghttp2
// would ignore, and checks frames on streams that it has forgotten.
#include "eider/protocols/http/h2/session_state.h"

namespace eider::h2 {

namespace {

/// If a head has more CONTINUATION frames, the connection ends.
constexpr std::uint32_t kContinuationsMax = 8;
/// After this many requests, they are served before more are read: their data is then still in the
/// processor's nearest cache, and nghttp2 finds their streams quickly. The fastest of 8, 16 and 32.
constexpr std::size_t kPartHeads = 16;
/// A frame header, and indices of four fields.
constexpr std::size_t kHeadBytesMin = 13;

bool has(const FrameHead& head, nghttp2_flag flag) noexcept {
  return (head.flags & flag) != 0;
}

}  // namespace

void Session::State::receive(std::string_view bytes) {
  std::size_t at = 0;
  std::size_t passed = 0;
  std::size_t heads = 0;
  const bool has_parts = comes_in_parts(bytes);
  while (at < bytes.size() && !is_doomed) {
    const FrameScanner::Step step = frames.next(bytes.substr(at));
    at += step.bytes;
    if (!step.head) {
      break;
    }
    const bool is_part = has_parts && step.head->type == NGHTTP2_HEADERS && ++heads > kPartHeads;
    // Frames that depend on streams are checked after nghttp2 has processed all earlier frames.
    if (is_part || depends_on_streams(*step.head)) {
      const std::size_t before = at > step.head_bytes ? at - step.head_bytes : 0;
      if (before > passed) {
        pass_on(bytes.substr(passed, before - passed));
        passed = before;
      }
    }
    // A part is served between two calls of nghttp2, never within one.
    if (is_part && !is_doomed) {
      heads = 1;
      user.on_part();
    }
    check_frame(*step.head);
  }
  if (!is_doomed) {
    pass_on(bytes.substr(passed));
  }
}

/// Returns whether there are many requests, at most as many as may be open at once, none of which
/// is reset by later frames, and all with the same urgency. Each response is then the same as if
/// all had been read first.
bool Session::State::comes_in_parts(std::string_view bytes) const noexcept {
  if (bytes.size() < kPartHeads * kHeadBytesMin || is_prioritised) {
    return false;
  }
  // A copy looks ahead; the scanner itself does not move.
  FrameScanner ahead = frames;
  std::size_t heads = 0;
  while (!bytes.empty()) {
    const FrameScanner::Step step = ahead.next(bytes);
    bytes.remove_prefix(step.bytes);
    if (step.head && step.head->type == NGHTTP2_RST_STREAM) {
      return false;
    }
    heads += step.head && step.head->type == NGHTTP2_HEADERS ? 1 : 0;
  }
  return heads > kPartHeads && heads <= streams_max;
}

void Session::State::pass_on(std::string_view bytes) {
  const auto taken = nghttp2_session_mem_recv(
      session, reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
  if (taken < 0) {
    fail(static_cast<int>(taken));
  }
}

/// Returns whether earlier frames must be processed before the check. Not for a head that opens the
/// next stream.
bool Session::State::depends_on_streams(const FrameHead& head) noexcept {
  return head.type == NGHTTP2_DATA || (head.type == NGHTTP2_HEADERS && head.stream <= last_head);
}

void Session::State::check_frame(const FrameHead& head) noexcept {
  // Recorded for each frame, because a head must not be interrupted (RFC 9113, 6.10).
  awaits_continuation = (head.type == NGHTTP2_HEADERS || head.type == NGHTTP2_CONTINUATION) &&
                        !has(head, NGHTTP2_FLAG_END_HEADERS);
  last_type = head.type;
  switch (head.type) {
    case NGHTTP2_HEADERS:
      head_frame = frames.begun();
      continuations = 0;
      // A head on a later stream opens it; others are checked against the fate of their stream.
      if (head.stream > last_head) {
        last_head = head.stream;
        break;
      }
      check_stream(head);
      break;
    case NGHTTP2_DATA:
      check_stream(head);
      break;
    case NGHTTP2_CONTINUATION:
      if (++continuations > kContinuationsMax) {
        terminate(ErrorCode::enhance_your_calm);
      }
      break;
    case NGHTTP2_RST_STREAM:
      recent.note_ended(head.stream);
      break;
    case NGHTTP2_PRIORITY:
      // RFC 9113, 6.3, and RFC 7540, 5.3.1; nghttp2 does not check these frames if RFC 9218 is
      // used.
      if (head.stream == 0 || (head.length >= 4 && head.dependency == head.stream)) {
        terminate(ErrorCode::protocol_error);
      }
      break;
    default:
      break;
  }
  count_frame(head);
}

/// A head includes its CONTINUATION frames: all together must arrive in time.
std::optional<Unfinished> Session::State::unfinished() const noexcept {
  if (frames.is_within_frame_head() && !awaits_continuation) {
    return Unfinished{.number = frames.begun()};
  }
  const bool is_within = frames.is_within_frame();
  const bool is_head = last_type == NGHTTP2_HEADERS || last_type == NGHTTP2_CONTINUATION;
  if (awaits_continuation || (is_within && is_head)) {
    return Unfinished{.number = head_frame};
  }
  if (!is_within) {
    return std::nullopt;
  }
  return Unfinished{.number = frames.begun(),
                    .is_content = last_type == NGHTTP2_DATA,
                    .missing_bytes = frames.missing_bytes()};
}

/// RFC 9113, 5.1 and 5.1.1, for streams that nghttp2 has forgotten. Frames on streams that we have
/// ended may have been sent before, and are ignored.
void Session::State::check_stream(const FrameHead& head) noexcept {
  const StreamId id = head.stream;
  // nghttp2 checks the streams that it knows.
  if (id <= recent.last() && nghttp2_session_find_stream(session, id) == nullptr) {
    const RecentStreams::Fate fate = recent.fate_of(id);
    if (fate == RecentStreams::Fate::never_opened) {
      terminate(ErrorCode::protocol_error);
    } else if (fate == RecentStreams::Fate::ended_by_peer) {
      terminate(ErrorCode::stream_closed);
    }
  }
  // After the check, because this frame itself may end the stream.
  if (has(head, NGHTTP2_FLAG_END_STREAM)) {
    recent.note_ended(id);
  }
}

void Session::State::count_frame(const FrameHead& head) noexcept {
  switch (head.type) {
    case NGHTTP2_DATA:
      return head.length == 0 && !has(head, NGHTTP2_FLAG_END_STREAM) ? note(Cheap::empty) : void();
    case NGHTTP2_HEADERS:
      return;
    case NGHTTP2_CONTINUATION:
      return note(head.length == 0 ? Cheap::empty : Cheap::continuation);
    case NGHTTP2_RST_STREAM:
      return note(Cheap::reset);
    case NGHTTP2_SETTINGS:
      return has(head, NGHTTP2_FLAG_ACK) ? void() : note(Cheap::settings);
    case NGHTTP2_PING:
      return has(head, NGHTTP2_FLAG_ACK) ? void() : note(Cheap::ping);
    case NGHTTP2_PRIORITY_UPDATE:
      // From now on responses are not made in parts, because the client uses priorities.
      is_prioritised = true;
      [[fallthrough]];
    case NGHTTP2_PRIORITY:
      return note(Cheap::priority);
    case NGHTTP2_WINDOW_UPDATE:
      return note(Cheap::window_update);
    default:
      return note(Cheap::unknown);
  }
}

}  // namespace eider::h2
