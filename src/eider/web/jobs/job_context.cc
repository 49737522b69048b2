#include "eider/web/jobs/job_context.h"

#include <utility>

#include "eider/web/jobs/job_store.h"

namespace eider {

namespace {

[[noreturn]] void throw_taken_over(std::int64_t id) {
  throw JobTakenOver(
      "Job " + std::to_string(id) +
      " no longer belongs to this worker: its lease has ended, or it was discarded.");
}

}  // namespace

std::int64_t JobContext::id() const noexcept {
  return job_.id;
}
std::int64_t JobContext::attempt() const noexcept {
  return job_.attempt;
}
bool JobContext::is_last_attempt() const noexcept {
  return job_.attempt >= job_.attempts_max;
}
const std::string& JobContext::args() const noexcept {
  return job_.args;
}
std::int64_t JobContext::batch() const noexcept {
  return job_.batch;
}
std::int64_t JobContext::batch_failed() const noexcept {
  return job_.batch_failed;
}
const Database& JobContext::database() const noexcept {
  return store_.database();
}
const std::string& JobContext::saved() const noexcept {
  return saved_here_.empty() ? job_.saved : saved_here_;
}

// A job that is kept is updated, not deleted. Both statements lock the row until the commit.
Task<> JobContext::complete(const db::Statements& transaction) {
  const bool is_mine = co_await store_.end(transaction, detail::jobs::done(job_, keep_ms_));
  if (!is_mine) {
    throw_taken_over(job_.id);
  }
  is_completed_ = true;
}

Task<> JobContext::save_text(std::string text) {
  co_await save_text_in(store_.database(), std::move(text));
  if (is_stopping_) {
    throw JobInterrupted("The process shuts down; the job continues at its cursor.");
  }
}

Task<> JobContext::save_text_in(const db::Statements& at, std::string text) {
  if (text.size() > detail::jobs::kArgsBytesMax) {
    throw Failure(Error::internal("jobs: The saved cursor has " + std::to_string(text.size()) +
                                  " bytes of JSON; at most 1 MiB is allowed."));
  }
  const auto changed = co_await at.exec(
      store_.sql("update eider_jobs set saved = $1 where id = $2 and fence = $3 and {running}"),
      text, job_.id, job_.fence);
  if (changed.rows != 1) {
    throw_taken_over(job_.id);
  }
  saved_here_ = std::move(text);
}

void JobContext::progress(std::int64_t done, std::int64_t total, std::string text) {
  progress_ = {.done = done, .total = total, .text = std::move(text)};
  has_progress_.set();
}

void JobContext::put_back(detail::jobs::Progress progress) {
  if (!progress_) {
    progress_ = std::move(progress);
  }
  has_progress_.set();
}

}  // namespace eider
