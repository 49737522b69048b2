// Asks one URL on so many kept connections by libcurl: its multi interface told of sockets by
// epoll.
//
//   libcurl_client URL CONNECTIONS SECONDS BODY_BYTES
#include <curl/curl.h>
#include <sys/epoll.h>
#include <unistd.h>

#include <memory>
#include <vector>

#include "../asking/asking.h"

namespace {

using arena::Asking;
using arena::AskingClock;
using arena::Tally;

constexpr int kEventsMax = 256;

/// One transfer at a time, the handle kept for the next.
struct Transfer {
  CURL* easy = nullptr;
  std::string body;
};

std::size_t append(char* data, std::size_t, std::size_t bytes, void* transfer) {
  static_cast<Transfer*>(transfer)->body.append(data, bytes);
  return bytes;
}

class Asker {
 public:
  explicit Asker(const Asking& asking)
      : asking_(asking), epoll_fd_(epoll_create1(EPOLL_CLOEXEC)), multi_(curl_multi_init()) {
    fields_ = curl_slist_append(nullptr, "Content-Type: application/json");
    curl_multi_setopt(multi_, CURLMOPT_SOCKETFUNCTION, &Asker::on_socket);
    curl_multi_setopt(multi_, CURLMOPT_SOCKETDATA, this);
    curl_multi_setopt(multi_, CURLMOPT_TIMERFUNCTION, &Asker::on_timer);
    curl_multi_setopt(multi_, CURLMOPT_TIMERDATA, this);
    curl_multi_setopt(multi_, CURLMOPT_MAXCONNECTS, static_cast<long>(asking.connections));
    last_ = arena::last_begin(asking);
    for (int i = 0; i < asking.connections; ++i) {
      transfers_.push_back(std::make_unique<Transfer>());
      prepare(*transfers_.back());
      begin(*transfers_.back());
    }
  }

  ~Asker() {
    for (const auto& transfer : transfers_) {
      curl_easy_cleanup(transfer->easy);
    }
    curl_multi_cleanup(multi_);
    curl_slist_free_all(fields_);
    close(epoll_fd_);
  }

  void run() {
    while (under_way_ != 0) {
      const int count = epoll_wait(epoll_fd_, events_, kEventsMax, wait_ms());
      if (count == 0) {
        timeout_ms_ = -1;
        act(CURL_SOCKET_TIMEOUT, 0);
      }
      for (int i = 0; i < count; ++i) {
        act(events_[i].data.fd, actions_of(events_[i].events));
      }
    }
    tally_.print();
  }

 private:
  void prepare(Transfer& transfer) {
    CURL* easy = transfer.easy = curl_easy_init();
    curl_easy_setopt(easy, CURLOPT_URL, asking_.url.c_str());
    curl_easy_setopt(easy, CURLOPT_HTTP_VERSION, static_cast<long>(CURL_HTTP_VERSION_1_1));
    curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, &append);
    curl_easy_setopt(easy, CURLOPT_WRITEDATA, &transfer);
    curl_easy_setopt(easy, CURLOPT_PRIVATE, &transfer);
    if (!asking_.body.empty()) {
      curl_easy_setopt(easy, CURLOPT_POSTFIELDS, asking_.body.c_str());
      curl_easy_setopt(easy, CURLOPT_POSTFIELDSIZE, static_cast<long>(asking_.body.size()));
      curl_easy_setopt(easy, CURLOPT_HTTPHEADER, fields_);
    }
  }

  void begin(Transfer& transfer) {
    transfer.body.clear();
    curl_multi_add_handle(multi_, transfer.easy);
    ++under_way_;
  }

  void act(curl_socket_t socket, int actions) {
    int running = 0;
    curl_multi_socket_action(multi_, socket, actions, &running);
    int left = 0;
    while (CURLMsg* message = curl_multi_info_read(multi_, &left)) {
      if (message->msg == CURLMSG_DONE) {
        on_done(message->easy_handle, message->data.result);
      }
    }
  }

  void on_done(CURL* easy, CURLcode result) {
    Transfer* transfer = nullptr;
    curl_easy_getinfo(easy, CURLINFO_PRIVATE, &transfer);
    judge(*transfer, result);
    curl_multi_remove_handle(multi_, easy);
    --under_way_;
    if (AskingClock::now() < last_) {
      begin(*transfer);
    }
  }

  void judge(const Transfer& transfer, CURLcode result) {
    long status = 0;
    curl_easy_getinfo(transfer.easy, CURLINFO_RESPONSE_CODE, &status);
    if (result == CURLE_OK) {
      tally_.judge(status, transfer.body);
    } else {
      tally_.fail();
    }
  }

  int wait_ms() const { return timeout_ms_ > 0x7fffffff ? -1 : static_cast<int>(timeout_ms_); }

  static int actions_of(std::uint32_t events) {
    return ((events & EPOLLIN) != 0 ? CURL_CSELECT_IN : 0) |
           ((events & EPOLLOUT) != 0 ? CURL_CSELECT_OUT : 0) |
           ((events & (EPOLLERR | EPOLLHUP)) != 0 ? CURL_CSELECT_ERR : 0);
  }

  /// `known` is set once epoll watches the socket.
  static int on_socket(CURL*, curl_socket_t socket, int what, void* self, void* known) {
    auto* asker = static_cast<Asker*>(self);
    if (what == CURL_POLL_REMOVE) {
      epoll_ctl(asker->epoll_fd_, EPOLL_CTL_DEL, socket, nullptr);
      return 0;
    }
    epoll_event event{};
    event.events = ((what & CURL_POLL_IN) != 0 ? std::uint32_t{EPOLLIN} : 0U) |
                   ((what & CURL_POLL_OUT) != 0 ? std::uint32_t{EPOLLOUT} : 0U);
    event.data.fd = socket;
    epoll_ctl(asker->epoll_fd_, known == nullptr ? EPOLL_CTL_ADD : EPOLL_CTL_MOD, socket, &event);
    curl_multi_assign(asker->multi_, socket, asker);
    return 0;
  }

  static int on_timer(CURLM*, long timeout_ms, void* self) {
    static_cast<Asker*>(self)->timeout_ms_ = timeout_ms;
    return 0;
  }

  const Asking& asking_;
  int epoll_fd_;
  CURLM* multi_;
  curl_slist* fields_ = nullptr;
  AskingClock::time_point last_;
  Tally tally_;
  std::vector<std::unique_ptr<Transfer>> transfers_;
  int under_way_ = 0;
  long timeout_ms_ = -1;
  epoll_event events_[kEventsMax];
};

}  // namespace

int main(int argc, char** argv) {
  const Asking asking = arena::read_asking(argc, argv);
  curl_global_init(CURL_GLOBAL_DEFAULT);
  Asker(asking).run();
  curl_global_cleanup();
}
