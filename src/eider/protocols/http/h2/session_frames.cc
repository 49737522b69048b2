// Session: every frame is looked at before nghttp2 gets it. Floods are counted here, also of what
// it would ignore, and frames on streams that it has forgotten are judged.
#include "eider/protocols/http/h2/session_state.h"

namespace eider::h2 {

namespace {

/// Further CONTINUATION frames of one head end the connection.
constexpr std::uint32_t kContinuationsMax = 8;
/// So many requests are served before more are read: what belongs to them stays in the processor's
/// nearest cache, and nghttp2 finds its streams at once. Of 8, 16 and 32 the fastest.
constexpr std::size_t kPartHeads = 16;
/// A frame's head, and indices of four fields.
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
    // What depends on streams is judged once nghttp2 has seen all that came before it.
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

/// Many requests, no more than may be open at once, none of which is taken back behind them, and
/// all equally urgent: each is answered as if all had been read first.
bool Session::State::comes_in_parts(std::string_view bytes) const noexcept {
  if (bytes.size() < kPartHeads * kHeadBytesMin || is_prioritised) {
    return false;
  }
  // The look ahead is made by a copy: the scanner itself stays where it is.
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

/// Whether what came before has to be known to judge it. Not of a head that opens the next stream.
bool Session::State::depends_on_streams(const FrameHead& head) noexcept {
  return head.type == NGHTTP2_DATA || (head.type == NGHTTP2_HEADERS && head.stream <= last_head);
}

void Session::State::check_frame(const FrameHead& head) noexcept {
  // It is noted of each frame, since a head must not be interrupted (RFC 9113, 6.10).
  awaits_continuation = (head.type == NGHTTP2_HEADERS || head.type == NGHTTP2_CONTINUATION) &&
                        !has(head, NGHTTP2_FLAG_END_HEADERS);
  last_type = head.type;
  switch (head.type) {
    case NGHTTP2_HEADERS:
      head_frame = frames.begun();
      continuations = 0;
      // A head on a later stream opens it; any other one is judged by what became of its stream.
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
      // RFC 9113, 6.3, and RFC 7540, 5.3.1; nghttp2 looks at none where RFC 9218 is spoken.
      if (head.stream == 0 || (head.length >= 4 && head.dependency == head.stream)) {
        terminate(ErrorCode::protocol_error);
      }
      break;
    default:
      break;
  }
  count_frame(head);
}

/// A head goes on over its CONTINUATION frames: it is one thing that has to end in time.
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

/// RFC 9113, 5.1 and 5.1.1, of streams that nghttp2 remembers no more. What belongs to those that
/// we have ended ourselves may have been on its way, and is ignored.
void Session::State::check_stream(const FrameHead& head) noexcept {
  const StreamId id = head.stream;
  // nghttp2 judges streams that it still knows.
  if (id <= recent.last() && nghttp2_session_find_stream(session, id) == nullptr) {
    const RecentStreams::Fate fate = recent.fate_of(id);
    if (fate == RecentStreams::Fate::never_opened) {
      terminate(ErrorCode::protocol_error);
    } else if (fate == RecentStreams::Fate::ended_by_peer) {
      terminate(ErrorCode::stream_closed);
    }
  }
  // It is noted behind the look: this frame itself may end the stream.
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
      // From here on responses are not made in parts: the client has said what is more urgent.
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
