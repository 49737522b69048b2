#include "eider/server/ws_hub.h"

#include <algorithm>
#include <utility>

#include "eider/io/ws/ws_session.h"
#include "eider/protocols/http/ws/message_writer.h"

namespace eider::detail::server {

namespace {

constexpr std::size_t kSpareRunsMax = 16;
constexpr std::uint32_t kNoPending = 0xFFFFFFFF;
/// Frames of this size or larger are shared instead of copied for each connection.
constexpr std::size_t kSharedFramesMin = 8UL * 1024;
/// How often paused publishers check whether other loops have caught up.
constexpr Duration kHeldBackFor = std::chrono::milliseconds(2);
/// A run's buffers that grew beyond this are freed.
constexpr std::size_t kKeptRunBytesMax = 64UL * 1024;

/// Names of topics may come from clients, up to the size of their messages.
constexpr std::size_t kNameBytesCounted = 256;

/// Returns how often a topic counts towards WebSocketOptions::topics_max.
std::size_t counted_topics(std::string_view name) noexcept {
  return std::max<std::size_t>((name.size() + kNameBytesCounted - 1) / kNameBytesCounted, 1);
}

/// Pre: the link is in a session's list
WsSubscription& subscription_at(ws::detail::WsSubscriptionLink& link) noexcept {
  return static_cast<WsSubscription&>(link);
}

ws::detail::WsSubscriptionLink** find_subscription(ws::detail::WsSession& session,
                                                   std::string_view topic) noexcept {
  ws::detail::WsSubscriptionLink** at = &session.subscriptions();
  while (*at != nullptr && subscription_at(**at).topic->name != topic) {
    at = &(*at)->next;
  }
  return at;
}

}  // namespace

WsHub::WsHub(Loop& loop, TopicIndex& index)
    : ws::detail::WsShared(loop, *this, index.log), index_(index) {}

// Ends the sessions first: they leave their topics, which are destroyed before WsShared.
WsHub::~WsHub() {
  release_all();
}

// Subscriptions.

void WsHub::subscribe(ws::detail::WsSession& session, std::string_view name) {
  if (*find_subscription(session, name) != nullptr) {
    return;
  }
  std::size_t topics = counted_topics(name);
  for (auto* at = session.subscriptions(); at != nullptr; at = at->next) {
    topics += counted_topics(subscription_at(*at).topic->name);
  }
  if (topics > session.output().options().topics_max) {
    session.begin_closing(CloseCode::policy_violation, "too many topics");
    return;
  }
  WsTopic& topic = join(name);
  // Later messages are for this subscription too, so they need a new run.
  is_last_run_open_ = false;
  WsSubscription& made =
      subscriptions_.make(WsSubscription{{session.subscriptions()},
                                         &topic,
                                         &session,
                                         static_cast<std::uint32_t>(topic.subscriptions.size()),
                                         WsSubscription::kUntouched,
                                         runs_before_ + run_count_});
  // The index is the position in this list: `remove` fills gaps with the last subscription.
  topic.subscriptions.push_back(&made);
  topic.shared_forms += session.output().form() == ws::detail::WsForm::shared ? 1U : 0U;
  topic.entry->subscribers.fetch_add(1, std::memory_order_relaxed);
  session.subscriptions() = &made;
}

void WsHub::unsubscribe(ws::detail::WsSession& session, std::string_view name) {
  ws::detail::WsSubscriptionLink** at = find_subscription(session, name);
  if (ws::detail::WsSubscriptionLink* found = *at) {
    *at = found->next;
    remove(subscription_at(*found));
  }
}

void WsHub::unsubscribe_all(ws::detail::WsSession& session) noexcept {
  while (ws::detail::WsSubscriptionLink* first = session.subscriptions()) {
    session.subscriptions() = first->next;
    remove(subscription_at(*first));
  }
}

void WsHub::remove(WsSubscription& subscription) noexcept {
  // The last subscription takes this one's position in the list, so update its index first.
  WsTopic& topic = *subscription.topic;
  topic.subscriptions.back()->index = subscription.index;
  topic.subscriptions[subscription.index] = topic.subscriptions.back();
  topic.subscriptions.pop_back();
  // Update the count while the session's form is still known.
  topic.shared_forms -=
      subscription.session->output().form() == ws::detail::WsForm::shared ? 1U : 0U;
  subscriptions_.destroy(subscription);
  leave_if_unused(topic);
}

void WsHub::leave_if_unused(WsTopic& topic) noexcept {
  topic.entry->subscribers.fetch_sub(1, std::memory_order_relaxed);
  // Callers must not use the topic afterwards: it may be destroyed.
  if (topic.size() == 0) {
    leave(topic);
  }
}

void WsHub::listen(TopicListener& listener, std::string_view name) {
  WsTopic& topic = join(name);
  if (std::ranges::find(topic.listeners, &listener) == topic.listeners.end()) {
    listener.topics_.push_back(&topic);
    topic.listeners.push_back(&listener);
    topic.entry->subscribers.fetch_add(1, std::memory_order_relaxed);
  }
  // Added before the call, since the listener may leave the list in it.
  if (is_draining_) {
    listener.on_over();
  }
}

void WsHub::drain() {
  is_draining_ = true;
  for (const auto& [name, topic] : topics_) {
    for (TopicListener* const listener : topic->listeners) {
      listener->on_over();
    }
  }
}

void WsHub::listen_no_more(TopicListener& listener) noexcept {
  for (WsTopic* const topic : listener.topics_) {
    std::erase(topic->listeners, &listener);
    leave_if_unused(*topic);
  }
  listener.topics_.clear();
}

WsTopic* WsHub::find(std::string_view name) const noexcept {
  const auto found = topics_.find(name);
  return found == topics_.end() ? nullptr : found->second.get();
}

WsTopic& WsHub::join(std::string_view name) {
  WsTopic* topic = find(name);
  if (topic == nullptr) {
    auto made = std::make_unique<WsTopic>();
    made->name = name;
    topic = topics_.try_emplace(std::string(name), std::move(made)).first->second.get();
  }
  if (topic->entry == nullptr) {
    topic->entry = &index_.join(name, *this);
  }
  return *topic;
}

// If a run still refers to the topic, it is destroyed with the batch.
void WsHub::leave(WsTopic& topic) noexcept {
  // Remove the hub from the index first: then no other loop posts to it.
  index_.leave(topic.name, *this);
  topic.entry = nullptr;
  if (topic.runs == 0) {
    topics_.erase(topics_.find(topic.name));
  }
}

// Publishing.

bool WsHub::publish(std::string_view name, const WsMessage& message,
                    const ws::detail::WsSession* except) {
  if (index_.carry) {
    index_.carry(name, message, {});
  }
  WsTopic* topic = find(name);
  const std::size_t here = topic == nullptr ? 0 : topic->size();
  const std::size_t all = topic == nullptr || topic->entry == nullptr
                              ? index_.subscribers(name)
                              : topic->entry->subscribers.load(std::memory_order_relaxed);
  if (here != 0 && !topic->subscriptions.empty()) {
    Run& run = run_for(*topic, except);
    ws::MessageWriter().message(run.plain, {.type = message.type}, message.bytes);
    note_piece(run, message);
  }
  const bool has_listeners = here != 0 && !topic->listeners.empty();
  if (all == here && !has_listeners) {
    return true;
  }
  const auto published = std::make_shared<const Published>(name, message, TopicEvent());
  if (has_listeners) {
    tell_listeners(*topic, published->event());
  }
  return all <= here || index_.post(published, this);
}

void WsHub::tell_listeners(WsTopic& topic, std::string_view event) {
  if (event.empty()) {
    return;
  }
  told_ = {.topic = &topic, .event = event, .kept = {}};
  for (TopicListener* const listener : topic.listeners) {
    listener->on_published(event);
  }
  told_ = {};
}

base::SharedBytes WsHub::share_event() {
  if (told_.kept.owner == nullptr) {
    told_.kept = told_.topic->event_log.append(told_.event);
  }
  return told_.kept;
}

void WsHub::take_inbox() {
  const HubInbox::Content content = inbox_.take();
  for (const SharedMessage& message : content.messages) {
    publish_here(*message);
  }
  if (!content.gaps.empty()) {
    run();  // send messages that have arrived before disconnecting subscribers
  }
  for (const std::string& topic : content.gaps) {
    tell_gap(topic);
  }
}

// Iterates over copies: a callback may leave the topic, which is destroyed with its last
// subscriber.
void WsHub::tell_gap(std::string_view name) {
  const WsTopic* const topic = find(name);
  if (topic == nullptr) {
    return;
  }
  for (TopicListener* const listener : std::vector(topic->listeners)) {
    listener->on_gap();
  }
  std::vector<ws::detail::WsSession*> sessions;
  for (const WsSubscription* const subscription : topic->subscriptions) {
    sessions.push_back(subscription->session);
  }
  for (ws::detail::WsSession* const session : sessions) {
    session->admits(1, session->output().options().slow_consumer, true);
  }
}

// Publishers poll instead of being woken, because a loop that keeps up may be busy for long.
void WsHub::hold_back(ws::detail::WsSession& session) {
  session.hold_back();
  held_back_.push_back(&session);
  if (!is_armed()) {
    loop().arm(*this, loop().now() + kHeldBackFor);
  }
}

void WsHub::forget_held_back(ws::detail::WsSession& session) noexcept {
  std::erase(held_back_, &session);
}

void WsHub::expire() {
  if (index_.is_full()) {
    loop().arm(*this, loop().now() + kHeldBackFor);
    return;
  }
  for (ws::detail::WsSession* const session : std::exchange(held_back_, {})) {
    session->go_on_reading();
  }
}

void WsHub::publish_here(const Published& message) {
  WsTopic* topic = find(message.topic());
  if (topic == nullptr) {
    return;
  }
  tell_listeners(*topic, message.event());
  if (topic->subscriptions.empty()) {
    return;
  }
  Run& run = run_for(*topic, nullptr);
  run.plain.append(message.frame());
  note_piece(run, message.message());
}

WsHub::Run& WsHub::run_for(WsTopic& topic, const ws::detail::WsSession* except) {
  if (is_last_run_open_) {
    Run& last = runs_[run_count_ - 1];
    if (last.topic == &topic && last.except == except) {
      return last;
    }
  }
  if (run_count_ == runs_.size()) {
    runs_.emplace_back();
  }
  Run& run = runs_[run_count_++];
  run.topic = &topic;
  run.except = except;
  ++topic.runs;
  // Later messages for the same subscribers join this run, so that they are sent together.
  is_last_run_open_ = true;
  loop().defer(*this);
  return run;
}

void WsHub::note_piece(Run& run, const WsMessage& message) {
  const std::size_t bytes = message.bytes.size();
  run.pieces.push_back({run.plain.size() - bytes, bytes, message.type});
  if (run.topic->shared_forms != 0) {
    compress_piece(run, message);
  }
}

void WsHub::compress_piece(Run& run, const WsMessage& message) {
  constexpr ws::MessageWriter kWriter;
  second_scratch().clear();
  if (codec_->deflate(message.bytes, second_scratch()) == ws::Deflated::done) {
    kWriter.message(run.shared, {.type = message.type, .form = ws::Form::compressed},
                    second_scratch().view());
  } else {
    kWriter.message(run.shared, {.type = message.type}, message.bytes);
  }
}

void WsHub::provide_codec(const WebSocketCompression& compression, const ws::DeflateTerms& terms) {
  if (codec_ == nullptr) {
    codec_ = compression.make_codec(ws::Side::server, terms);
  }
}

// Sending: first the runs of each connection are collected, so that it sends all of them at once.

void WsHub::run() {
  // No message may join a run while it is sent.
  is_last_run_open_ = false;
  for (std::uint32_t run = 0; run < run_count_; ++run) {
    spread(run);
  }
  for (const Touched& touched : touched_) {
    hand_out(touched);
  }
  forget_batch();
}

void WsHub::spread(std::uint32_t run) {
  for (const WsSubscription* subscription : runs_[run].topic->subscriptions) {
    ws::detail::WsSession& session = *subscription->session;
    // It was subscribed after this run.
    if (subscription->first_run > runs_before_ + run || &session == runs_[run].except) {
      continue;
    }
    const auto place = static_cast<std::uint32_t>(pending_.size());
    pending_.push_back({run, kNoPending});
    std::uint32_t& index = subscription_at(*session.subscriptions()).touched;
    if (index == WsSubscription::kUntouched) {
      index = static_cast<std::uint32_t>(touched_.size());
      touched_.push_back({&session, place, place});
    } else {
      Touched& touched = touched_[index];
      pending_[touched.last].next = place;
      touched.last = place;
    }
  }
}

void WsHub::hand_out(const Touched& touched) {
  // Reset before writing: a session that ends here leaves nothing to clean up.
  ws::detail::WsSession& session = *touched.session;
  if (ws::detail::WsSubscriptionLink* const first = session.subscriptions()) {
    subscription_at(*first).touched = WsSubscription::kUntouched;
  }
  std::uint32_t place = touched.first;
  while (place != kNoPending) {
    Run& run = runs_[pending_[place].run];
    const SlowConsumer slow_consumer = session.output().options().slow_consumer;
    if (session.admits(run.pieces.size(), slow_consumer) == WsSent::taken) {
      hand_out(session, run);
    }
    place = pending_[place].next;
  }
}

// A slow connection refers to memory that it shares with others; a fast one gets a copy at once.
void WsHub::hand_out(ws::detail::WsSession& session, std::string_view frames, base::SharedLog& log,
                     base::SharedBytes& kept) {
  if (frames.size() < kSharedFramesMin && session.output().waiting_bytes() == 0) {
    session.put_frames({.owner = nullptr, .bytes = frames});
    return;
  }
  if (kept.owner == nullptr) {
    kept = log.append(frames);
  }
  session.put_frames(kept);
}

void WsHub::hand_out(ws::detail::WsSession& session, Run& run) {
  switch (session.output().form()) {
    case ws::detail::WsForm::plain:
      hand_out(session, run.plain.view(), run.topic->plain_log, run.kept_plain);
      return;
    case ws::detail::WsForm::shared:
      hand_out(session, run.shared.view(), run.topic->shared_log, run.kept_shared);
      return;
    case ws::detail::WsForm::own:
      for (const Run::Piece& piece : run.pieces) {
        session.put({piece.type, run.plain.view().substr(piece.begin, piece.bytes)});
      }
      return;
  }
}

void WsHub::forget_batch() noexcept {
  for (std::uint32_t index = 0; index < run_count_; ++index) {
    Run& run = runs_[index];
    // Topics that were left during the turn are destroyed with the last run that refers to them.
    if (--run.topic->runs == 0 && run.topic->size() == 0) {
      topics_.erase(topics_.find(run.topic->name));
    }
    run.kept_plain = {};
    run.kept_shared = {};
    run.plain.reset(kKeptRunBytesMax);
    run.shared.reset(kKeptRunBytesMax);
    run.pieces.clear();
  }
  // Run numbers continue over turns, so that `first_run` stays comparable.
  runs_before_ += run_count_;
  run_count_ = 0;
  runs_.resize(std::min(runs_.size(), kSpareRunsMax));
  pending_.clear();
  touched_.clear();
}

}  // namespace eider::detail::server
