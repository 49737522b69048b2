#include "eider/auth/mail/smtp_session.h"

#include <curl/curl.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>

#include "eider/core/base/failure.h"

namespace eider::detail::mail {

namespace {

constexpr std::string_view kPlainScheme = "smtp://";
constexpr std::string_view kTlsScheme = "smtps://";
/// Maximum size of a server's reply in the log.
constexpr std::size_t kReplyBytesMax = 200;
constexpr long kPermanentFrom = 500;
constexpr long kTemporaryFrom = 400;
/// Codes of AUTH and STARTTLS (RFC 4954, section 6). They are about this service's settings, not
/// about the mail, which must be sent after the settings are fixed.
constexpr std::array<long, 4> kOfSettings = {530, 534, 535, 538};
/// Policy (RFC 3463, section 3.8): the sender is not logged in, or is logged in as another user.
constexpr std::string_view kPolicyStatus = "5.7.";
/// Prefix of libcurl's error text if the server rejected the sender.
constexpr std::string_view kSenderRefused = "MAIL failed";
constexpr std::string_view kGreeting = "220";
constexpr std::string_view kLoggedIn = "235";

std::string_view authority_of(std::string_view url) noexcept {
  for (const std::string_view scheme : {kPlainScheme, kTlsScheme}) {
    if (url.starts_with(scheme)) {
      return url.substr(scheme.size());
    }
  }
  return {};
}

/// Returns the server's reply without characters that would begin another line of a log.
std::string printable(std::string_view text) {
  std::string out(text.substr(0, kReplyBytesMax));
  std::ranges::replace_if(out, [](unsigned char byte) { return byte < 0x20 || byte > 0x7E; }, ' ');
  out.erase(std::min(out.find_last_not_of(' ') + 1, out.size()));
  return out;
}

long to_ms(Duration duration) noexcept {
  const auto ms = std::chrono::duration_cast<std::chrono::milliseconds>(duration).count();
  return static_cast<long>(std::max<decltype(ms)>(ms, 1));
}

/// Once per process, before any thread uses it (curl_global_init(3)).
void start_curl() {
  static const CURLcode kStarted = curl_global_init(CURL_GLOBAL_DEFAULT);
  if (kStarted != CURLE_OK) {
    throw Failure(Error::internal("smtp: libcurl cannot be initialized"));
  }
}

struct ListEnd {
  void operator()(curl_slist* list) const noexcept { curl_slist_free_all(list); }
};
using List = std::unique_ptr<curl_slist, ListEnd>;

void add_to(List& list, const std::string& text) {
  curl_slist* const longer = curl_slist_append(list.get(), text.c_str());
  if (longer == nullptr) {
    throw std::bad_alloc();
  }
  (void)list.release();
  list.reset(longer);
}

using SteadyClock = std::chrono::steady_clock;

struct HandleEnd {
  void operator()(CURL* handle) const noexcept { curl_easy_cleanup(handle); }
};

}  // namespace

bool is_smtp_url(std::string_view url) noexcept {
  const std::string_view authority = authority_of(url);
  return !authority.empty() && std::ranges::all_of(authority, [](char byte) {
    return (byte >= '0' && byte <= '9') || (byte >= 'a' && byte <= 'z') ||
           (byte >= 'A' && byte <= 'Z') || byte == '.' || byte == '-' || byte == ':' ||
           byte == '[' || byte == ']';
  });
}

bool is_loopback_url(std::string_view url) noexcept {
  std::string_view host = authority_of(url);
  if (host.starts_with("[::1]")) {
    return host.size() == 5 || host[5] == ':';
  }
  host = host.substr(0, host.find(':'));
  // A host name such as 127.evil.example is not a loopback address, so only digits and dots may
  // follow.
  return host == "localhost" || (host.starts_with("127.") &&
                                 host.find_first_not_of("0123456789.") == std::string_view::npos);
}

struct SmtpSession::State {
  State(SmtpOptions its_options, const std::atomic<bool>& its_stop)
      : options(std::move(its_options)), is_stopped(its_stop) {}
  ~State() { close(); }

  static std::size_t read(char* to, std::size_t size, std::size_t count, void* state) noexcept;
  static int seek(void* state, curl_off_t offset, int origin) noexcept;
  static std::size_t hear(char* line, std::size_t size, std::size_t count, void* state) noexcept;
  static int keep_on(void* state, curl_off_t, curl_off_t, curl_off_t, curl_off_t) noexcept;

  void open();
  void close() noexcept;
  void set_security();
  void set_user();
  template <class T>
  void set(CURLoption option, T value);
  CURLcode perform(const MailMessage& message, const std::atomic<bool>& abandoned);
  [[nodiscard]] DeliveryResult outcome_of(CURLcode code) const;
  [[nodiscard]] bool lacks_login() const noexcept { return !options.user.empty() && !is_logged_in; }
  [[nodiscard]] bool is_of_mail(CURLcode code) const;
  [[nodiscard]] long reply_code() const;

  const SmtpOptions options;
  const std::atomic<bool>& is_stopped;
  const std::atomic<bool>* is_abandoned = nullptr;  // the message being sent
  std::unique_ptr<CURL, HandleEnd> handle{};
  std::string_view unread{};
  std::string_view whole{};
  std::string reply{};
  std::array<char, CURL_ERROR_SIZE> fault{};
  bool is_logged_in = false;  // on the current connection
  SteadyClock::time_point sent_until{};
};

std::size_t SmtpSession::State::read(char* to, std::size_t size, std::size_t count,
                                     void* state) noexcept {
  State& its = *static_cast<State*>(state);
  const std::size_t bytes = std::min(size * count, its.unread.size());
  std::memcpy(to, its.unread.data(), bytes);
  its.unread.remove_prefix(bytes);
  return bytes;
}

int SmtpSession::State::seek(void* state, curl_off_t offset, int origin) noexcept {
  State& its = *static_cast<State*>(state);
  if (origin != SEEK_SET || offset < 0 || std::cmp_greater(offset, its.whole.size())) {
    return CURL_SEEKFUNC_CANTSEEK;
  }
  its.unread = its.whole.substr(static_cast<std::size_t>(offset));
  return CURL_SEEKFUNC_OK;
}

/// Stores the lines of the server: the first rejection is the reason, even if more replies follow
/// (to QUIT).
std::size_t SmtpSession::State::hear(char* line, std::size_t size, std::size_t count,
                                     void* state) noexcept {
  State& its = *static_cast<State*>(state);
  const std::string_view heard(line, size * count);
  its.is_logged_in =
      heard.starts_with(kLoggedIn) || (its.is_logged_in && !heard.starts_with(kGreeting));
  try {
    if (!its.reply.starts_with('4') && !its.reply.starts_with('5')) {
      its.reply = printable(heard);
    }
  } catch (...) {
    // Without memory for the reply, the mail is still sent.
  }
  return size * count;
}

int SmtpSession::State::keep_on(void* state, curl_off_t, curl_off_t, curl_off_t,
                                curl_off_t) noexcept {
  const State& its = *static_cast<State*>(state);
  const bool is_late = !its.unread.empty() && SteadyClock::now() > its.sent_until;
  return is_late || its.is_stopped.load(std::memory_order_relaxed) ||
                 its.is_abandoned->load(std::memory_order_relaxed)
             ? 1
             : 0;
}

template <class T>
void SmtpSession::State::set(CURLoption option, T value) {
  if (curl_easy_setopt(handle.get(), option, value) != CURLE_OK) {
    throw Failure(Error::internal("smtp: This version of libcurl does not support option " +
                                  std::to_string(static_cast<int>(option))));
  }
}

void SmtpSession::State::open() {
  start_curl();
  handle.reset(curl_easy_init());
  if (handle == nullptr) {
    throw std::bad_alloc();
  }
  std::string url = options.url;
  if (!options.ehlo_name.empty()) {
    url += "/" + options.ehlo_name;
  }
  set(CURLOPT_URL, url.c_str());
  set(CURLOPT_PROTOCOLS_STR, "smtp,smtps");
  set(CURLOPT_PROXY, "");  // ignore proxies in the environment
  set(CURLOPT_NOSIGNAL, 1L);
  set(CURLOPT_QUICK_EXIT, 1L);  // do not wait for a running name lookup
  set(CURLOPT_CONNECTTIMEOUT_MS, to_ms(options.connect_within));
  // keep_on, which libcurl calls every second, applies the time limit until the last byte of the
  // mail.
  set(CURLOPT_TIMEOUT_MS, to_ms(options.send_within + options.reply_within));
  set(CURLOPT_SERVER_RESPONSE_TIMEOUT, (to_ms(options.reply_within) + 999) / 1000);
  set(CURLOPT_UPLOAD, 1L);
  set(CURLOPT_READFUNCTION, &read);
  set(CURLOPT_READDATA, this);
  set(CURLOPT_SEEKFUNCTION, &seek);
  set(CURLOPT_SEEKDATA, this);
  set(CURLOPT_HEADERFUNCTION, &hear);
  set(CURLOPT_HEADERDATA, this);
  set(CURLOPT_ERRORBUFFER, fault.data());
  set(CURLOPT_NOPROGRESS, 0L);
  set(CURLOPT_XFERINFOFUNCTION, &keep_on);
  set(CURLOPT_XFERINFODATA, this);
  set_security();
  set_user();
}

/// libcurl sends QUIT and waits two minutes for the response, ignoring its timeouts: a server that
/// hangs would delay the shutdown. So the socket is shut down first.
void SmtpSession::State::close() noexcept {
  curl_socket_t socket = CURL_SOCKET_BAD;
  if (handle != nullptr &&
      curl_easy_getinfo(handle.get(), CURLINFO_ACTIVESOCKET, &socket) == CURLE_OK &&
      socket != CURL_SOCKET_BAD) {
    (void)::shutdown(socket, SHUT_RDWR);
  }
  handle.reset();
  is_logged_in = false;
}

void SmtpSession::State::set_security() {
  const bool is_needed =
      options.start_tls == SmtpStartTls::required ||
      (options.start_tls == SmtpStartTls::remote_only && !is_loopback_url(options.url));
  set(CURLOPT_USE_SSL, static_cast<long>(is_needed ? CURLUSESSL_ALL : CURLUSESSL_NONE));
  set(CURLOPT_SSLVERSION, static_cast<long>(CURL_SSLVERSION_TLSv1_2));
  set(CURLOPT_SSL_VERIFYPEER, 1L);
  set(CURLOPT_SSL_VERIFYHOST, 2L);
  if (!options.ca_file.empty()) {
    set(CURLOPT_CAINFO, options.ca_file.c_str());
  }
}

void SmtpSession::State::set_user() {
  if (options.user.empty()) {
    return;
  }
  set(CURLOPT_USERNAME, options.user.c_str());
  set(CURLOPT_PASSWORD, options.password.c_str());
  set(CURLOPT_LOGIN_OPTIONS, "AUTH=PLAIN;AUTH=LOGIN");
}

CURLcode SmtpSession::State::perform(const MailMessage& message,
                                     const std::atomic<bool>& abandoned) {
  List recipients;
  for (const std::string& recipient : message.recipients) {
    add_to(recipients, recipient);
  }
  set(CURLOPT_MAIL_FROM, message.sender.c_str());
  set(CURLOPT_MAIL_RCPT, recipients.get());
  whole = message.text;
  unread = whole;
  reply.clear();
  fault.front() = '\0';
  sent_until = SteadyClock::now() + options.send_within;
  is_abandoned = &abandoned;
  const CURLcode code = curl_easy_perform(handle.get());
  set(CURLOPT_MAIL_RCPT, static_cast<curl_slist*>(nullptr));
  return code;
}

long SmtpSession::State::reply_code() const {
  long code = 0;
  curl_easy_getinfo(handle.get(), CURLINFO_RESPONSE_CODE, &code);
  return code;
}

/// Returns whether a rejection is about the mail: about its envelope (CURLE_SEND_ERROR) or, after
/// the last byte, about its content (CURLE_WEIRD_SERVER_REPLY). Instead of a greeting, it is about
/// this service. The same applies if a required login failed, because libcurl continues without one
/// if the server does not offer AUTH, and if the server's policy rejects the sender.
bool SmtpSession::State::is_of_mail(CURLcode code) const {
  const bool is_of_envelope = code == CURLE_SEND_ERROR;
  const bool is_of_content = code == CURLE_WEIRD_SERVER_REPLY && unread.empty();
  if ((!is_of_envelope && !is_of_content) || lacks_login() ||
      std::ranges::find(kOfSettings, reply_code()) != kOfSettings.end()) {
    return false;
  }
  constexpr std::size_t kCodeBytes = 4;  // "550 " or "550-"
  const bool is_of_policy = reply.size() > kCodeBytes &&
                            std::string_view(reply).substr(kCodeBytes).starts_with(kPolicyStatus);
  return !is_of_policy || !std::string_view(fault.data()).starts_with(kSenderRefused);
}

DeliveryResult SmtpSession::State::outcome_of(CURLcode code) const {
  if (code == CURLE_OK) {
    return {};
  }
  const long response = reply_code();
  DeliveryResult outcome{DeliveryStatus::retry_later, curl_easy_strerror(code)};
  if (response >= kTemporaryFrom && !reply.empty()) {
    outcome.reason = (lacks_login() ? "login failed: " : "") + reply;
  }
  if (response >= kPermanentFrom && is_of_mail(code)) {
    outcome.status = DeliveryStatus::rejected;
  }
  return outcome;
}

SmtpSession::SmtpSession(const SmtpOptions& options, const std::atomic<bool>& is_stopped)
    : state_(std::make_unique<State>(options, is_stopped)) {}

SmtpSession::~SmtpSession() = default;

DeliveryResult SmtpSession::send(const MailMessage& message,
                                 const std::atomic<bool>& is_abandoned) {
  try {
    if (state_->handle == nullptr) {
      state_->open();
    }
    const DeliveryResult outcome = state_->outcome_of(state_->perform(message, is_abandoned));
    if (outcome.status == DeliveryStatus::retry_later) {
      // The state of that connection is unknown, so the next mail gets a new one.
      state_->close();
    }
    return outcome;
  } catch (const std::exception& wrong) {
    state_->close();
    return {DeliveryStatus::retry_later, printable(wrong.what())};
  }
}

}  // namespace eider::detail::mail
