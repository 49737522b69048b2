// The bare io_uring server: multishot accept and receive, one enter per batch, nothing else.
// Must not do anything that an HTTP server does: it is the floor under every ratio of the arena.
#include <liburing.h>
#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <vector>

#include "answer.h"

namespace {

using floors::Answers;
using floors::Carry;
using floors::Settings;

constexpr unsigned kEntries = 4096;
constexpr unsigned kConnectionsMax = 16384;
constexpr unsigned kBuffers = 512;  // a power of two
constexpr unsigned kBufferBytes = 2048;
constexpr int kBufferGroup = 0;

struct Connection {
  Carry carry;
  std::size_t unsent_bytes = 0;
  bool is_sending = false;
  bool is_ended = false;
};

enum class Operation : std::uint32_t { kAccept, kReceive, kSend, kClose, kStop };

class Server {
 public:
  Server(const Settings& settings, int stop_fd)
      : closes_(settings.closes),
        listen_fd_(floors::listen_on(settings)),
        answers_(settings),
        connections_(kConnectionsMax),
        memory_(std::size_t{kBuffers} * kBufferBytes) {
    open_ring();
    open_buffers();
    io_uring_prep_poll_add(submission(Operation::kStop, 0), stop_fd, POLLIN);
    accept_next();
  }
  ~Server() { io_uring_queue_exit(&ring_); }
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  void run() {
    while (!is_stopping_) {
      io_uring_submit_and_wait(&ring_, 1);
      unsigned head = 0;
      unsigned count = 0;
      io_uring_cqe* completion = nullptr;
      io_uring_for_each_cqe(&ring_, head, completion) {
        on_completion(*completion);
        ++count;
      }
      io_uring_cq_advance(&ring_, count);
      io_uring_buf_ring_advance(buffers_, returned_buffers_);
      returned_buffers_ = 0;
    }
  }

 private:
  void open_ring() {
    io_uring_params parameters{};
    parameters.flags = IORING_SETUP_COOP_TASKRUN | IORING_SETUP_SINGLE_ISSUER |
                       IORING_SETUP_DEFER_TASKRUN | IORING_SETUP_CQSIZE;
    parameters.cq_entries = kEntries * 4;
    errno = -io_uring_queue_init_params(kEntries, &ring_, &parameters);
    if (errno != 0) {
      floors::fail("io_uring_queue_init_params");
    }
    if (io_uring_register_files_sparse(&ring_, kConnectionsMax) < 0 ||
        io_uring_register_ring_fd(&ring_) < 0) {
      floors::fail("io_uring_register");
    }
  }

  void open_buffers() {
    buffers_ = reinterpret_cast<io_uring_buf_ring*>(buffer_entries_);
    io_uring_buf_ring_init(buffers_);
    io_uring_buf_reg registration{};
    registration.ring_addr = reinterpret_cast<std::uintptr_t>(buffer_entries_);
    registration.ring_entries = kBuffers;
    registration.bgid = kBufferGroup;
    errno = -io_uring_register_buf_ring(&ring_, &registration, 0);
    if (errno != 0) {
      floors::fail("io_uring_register_buf_ring");
    }
    for (unsigned id = 0; id < kBuffers; ++id) {
      give_back(id);
    }
    io_uring_buf_ring_advance(buffers_, returned_buffers_);
    returned_buffers_ = 0;
  }

  char* buffer(unsigned id) {
    return memory_.data() + std::size_t{id} * kBufferBytes + floors::kHeadroomBytes;
  }

  void give_back(unsigned id) {
    io_uring_buf_ring_add(buffers_, buffer(id), kBufferBytes - floors::kHeadroomBytes,
                          static_cast<unsigned short>(id), kBuffers - 1, returned_buffers_++);
  }

  io_uring_sqe* submission(Operation operation, unsigned slot) {
    io_uring_sqe* entry = io_uring_get_sqe(&ring_);
    if (entry == nullptr) {
      io_uring_submit(&ring_);
      entry = io_uring_get_sqe(&ring_);
    }
    // The preparation that follows leaves user_data alone.
    entry->user_data = std::uint64_t{static_cast<std::uint32_t>(operation)} << 32 | slot;
    return entry;
  }

  void accept_next() {
    io_uring_prep_multishot_accept_direct(submission(Operation::kAccept, 0), listen_fd_, nullptr,
                                          nullptr, 0);
  }

  void receive_next(unsigned slot) {
    io_uring_sqe* entry = submission(Operation::kReceive, slot);
    if (closes_) {  // a receive still armed would keep the socket open behind its close
      io_uring_prep_recv(entry, static_cast<int>(slot), nullptr, 0, 0);
    } else {
      io_uring_prep_recv_multishot(entry, static_cast<int>(slot), nullptr, 0, 0);
    }
    entry->flags |= IOSQE_FIXED_FILE | IOSQE_BUFFER_SELECT;
    entry->buf_group = kBufferGroup;
  }

  void send_next(unsigned slot) {
    Connection& connection = connections_[slot];
    const std::string_view next = answers_.tail(connection.unsent_bytes);
    io_uring_sqe* entry = submission(Operation::kSend, slot);
    io_uring_prep_send(entry, static_cast<int>(slot), next.data(), next.size(), MSG_NOSIGNAL);
    entry->flags |= IOSQE_FIXED_FILE;
    connection.is_sending = true;
    if (closes_) {
      close_after(*entry, slot);
    }
  }

  // A whole send is followed by the close within the kernel and says nothing; a short one, which
  // MSG_WAITALL makes a failure, breaks the link and comes back as a completion.
  void close_after(io_uring_sqe& send, unsigned slot) {
    send.msg_flags |= MSG_WAITALL;
    send.flags |= IOSQE_IO_LINK | IOSQE_CQE_SKIP_SUCCESS;
    drop(slot);
  }

  void drop(unsigned slot) {
    io_uring_sqe* entry = submission(Operation::kClose, slot);
    io_uring_prep_close_direct(entry, slot);
    entry->flags |= IOSQE_CQE_SKIP_SUCCESS;
  }

  void on_completion(const io_uring_cqe& completion) {
    const auto slot = static_cast<unsigned>(completion.user_data);
    switch (static_cast<Operation>(completion.user_data >> 32)) {
      case Operation::kAccept:
        return on_accepted(completion);
      case Operation::kReceive:
        return on_received(slot, completion);
      case Operation::kSend:
        return on_sent(slot, completion.res);
      case Operation::kStop:
        is_stopping_ = true;
        return;
      case Operation::kClose:
        return;
    }
  }

  void on_accepted(const io_uring_cqe& completion) {
    if (completion.res >= 0) {
      const auto slot = static_cast<unsigned>(completion.res);
      connections_[slot] = {};
      receive_next(slot);
    }
    if ((completion.flags & IORING_CQE_F_MORE) == 0) {
      accept_next();
    }
  }

  void on_received(unsigned slot, const io_uring_cqe& completion) {
    Connection& connection = connections_[slot];
    if (completion.res > 0) {
      const unsigned id = completion.flags >> IORING_CQE_BUFFER_SHIFT;
      const std::size_t requests = floors::count_requests(connection.carry, buffer(id),
                                                          static_cast<std::size_t>(completion.res));
      give_back(id);
      answer(slot, requests);
    }
    if ((completion.flags & IORING_CQE_F_MORE) != 0 || (closes_ && connection.is_sending)) {
      return;
    }
    if (completion.res > 0 || completion.res == -ENOBUFS) {
      return receive_next(slot);
    }
    connection.is_ended = true;
    if (!connection.is_sending) {
      drop(slot);
    }
  }

  void answer(unsigned slot, std::size_t requests) {
    Connection& connection = connections_[slot];
    connection.unsent_bytes += requests * answers_.answer_bytes();
    if (!connection.is_sending && connection.unsent_bytes != 0) {
      send_next(slot);
    }
  }

  void on_sent(unsigned slot, int sent) {
    Connection& connection = connections_[slot];
    connection.is_sending = false;
    connection.unsent_bytes -= sent > 0 ? static_cast<std::size_t>(sent) : connection.unsent_bytes;
    if (connection.unsent_bytes != 0) {
      return send_next(slot);
    }
    if (connection.is_ended || closes_) {
      drop(slot);
    }
  }

  const bool closes_;
  const int listen_fd_;
  const Answers answers_;
  bool is_stopping_ = false;
  int returned_buffers_ = 0;
  io_uring ring_{};
  io_uring_buf_ring* buffers_ = nullptr;
  alignas(4096) io_uring_buf buffer_entries_[kBuffers]{};
  std::vector<Connection> connections_;
  std::vector<char> memory_;
};

void serve(const Settings& settings, int stop_fd) {
  Server(settings, stop_fd).run();
}

}  // namespace

int main(int argc, char** argv) {
  floors::run_threads(floors::read_settings(argc, argv), serve);
}
