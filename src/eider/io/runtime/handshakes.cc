#include <linux/filter.h>
#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/sock_diag.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <string_view>

#include "eider/io/runtime/descriptor.h"
#include "eider/io/runtime/handshakes.h"

namespace eider::detail::runtime {

namespace {

constexpr std::uint32_t kFlagsAt = 13;  // in the TCP header (RFC 9293, section 3.1)
constexpr std::uint32_t kSynOrAck = 0x12;
constexpr std::uint32_t kSyn = 0x02;
constexpr std::uint32_t kWhole = 0xFFFFFFFF;

constexpr std::uint32_t kSynReceived = 3;  // TCP_SYN_RECV; netinet/tcp.h has the same number
constexpr std::size_t kAnswerBytes = 32UL * 1024;

struct Question {
  nlmsghdr head;
  inet_diag_req_v2 body;
};

bool ask(int netlink, int family, std::uint16_t port) noexcept {
  Question question{};
  question.head = {.nlmsg_len = sizeof(question),
                   .nlmsg_type = SOCK_DIAG_BY_FAMILY,
                   .nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP,
                   .nlmsg_seq = 0,
                   .nlmsg_pid = 0};
  question.body.sdiag_family = static_cast<std::uint8_t>(family);
  question.body.sdiag_protocol = IPPROTO_TCP;
  question.body.idiag_states = 1U << kSynReceived;
  question.body.id.idiag_sport = htons(port);
  return ::send(netlink, &question, sizeof(question), 0) == sizeof(question);
}

enum class Answer : std::uint8_t { goes_on, complete, refused };

std::uint64_t cookie_of(std::string_view message) noexcept {
  inet_diag_msg found{};
  std::memcpy(&found, message.data(), std::min(message.size(), sizeof(found)));
  return std::uint64_t{found.id.idiag_cookie[1]} << 32U | found.id.idiag_cookie[0];
}

Answer read_messages(std::string_view bytes, std::vector<std::uint64_t>& cookies) {
  nlmsghdr head{};
  while (bytes.size() >= sizeof(head)) {
    std::memcpy(&head, bytes.data(), sizeof(head));
    if (head.nlmsg_type == NLMSG_DONE) {
      return Answer::complete;
    }
    if (head.nlmsg_type != SOCK_DIAG_BY_FAMILY || head.nlmsg_len < sizeof(head)) {
      return Answer::refused;
    }
    cookies.push_back(cookie_of(bytes.substr(0, head.nlmsg_len).substr(sizeof(head))));
    bytes.remove_prefix(std::min<std::size_t>(NLMSG_ALIGN(head.nlmsg_len), bytes.size()));
  }
  return Answer::goes_on;
}

// Each part of the response is ready when it is read, so this does not block.
Answer read_answer(int netlink, std::vector<std::uint64_t>& cookies) {
  std::array<char, kAnswerBytes> room;
  Answer answer = Answer::goes_on;
  while (answer == Answer::goes_on) {
    const ssize_t count = ::recv(netlink, room.data(), room.size(), MSG_DONTWAIT);
    answer = count <= 0 ? Answer::refused
                        : read_messages({room.data(), static_cast<std::size_t>(count)}, cookies);
  }
  return answer;
}

}  // namespace

void begin_no_handshake(int listening) noexcept {
  std::array<sock_filter, 5> code{
      {BPF_STMT(BPF_LD | BPF_B | BPF_ABS, kFlagsAt), BPF_STMT(BPF_ALU | BPF_AND | BPF_K, kSynOrAck),
       BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, kSyn, 0, 1), BPF_STMT(BPF_RET | BPF_K, 0),
       BPF_STMT(BPF_RET | BPF_K, kWhole)}};
  const sock_fprog program{.len = static_cast<unsigned short>(code.size()), .filter = code.data()};
  ::setsockopt(listening, SOL_SOCKET, SO_ATTACH_FILTER, &program, sizeof(program));
  const int never = 0;
  ::setsockopt(listening, IPPROTO_TCP, TCP_DEFER_ACCEPT, &never, sizeof(never));
}

std::optional<std::vector<std::uint64_t>> handshakes_under_way(std::uint16_t port) {
  const Descriptor netlink(
      ::socket(AF_NETLINK, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, NETLINK_SOCK_DIAG));
  std::vector<std::uint64_t> cookies;
  for (const int family : {AF_INET, AF_INET6}) {  // a socket for IPv6 may have connections of both
    if (!netlink.is_open() || !ask(netlink.get(), family, port) ||
        read_answer(netlink.get(), cookies) == Answer::refused) {
      return std::nullopt;
    }
  }
  std::ranges::sort(cookies);
  return cookies;
}

}  // namespace eider::detail::runtime
