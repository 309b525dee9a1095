#include "server/store/postgres/job_listener.h"

#include <charconv>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <pqxx/pqxx>
#include <string_view>
#include <utility>

#include "server/store/postgres/connections.h"

namespace bvhmill::server {
namespace {

using Kind = JobNews::Kind;

constexpr std::string_view kItems = "items";
constexpr std::string_view kOver = "over ";
constexpr std::string_view kCancelled = "cancelled ";
// The longest time until the thread notices a request to stop.
constexpr int kLookMicroseconds = 200'000;
constexpr std::chrono::seconds kPause(1);

// Reads a text of TextOf. False for any other text; `news` is then not valid.
bool ReadNews(std::string_view text, JobNews* news) {
  *news = {};
  if (text == kItems) return true;
  const bool is_over = text.starts_with(kOver);
  if (!is_over && !text.starts_with(kCancelled)) return false;
  news->kind = is_over ? Kind::kOver : Kind::kCancelled;
  text.remove_prefix(is_over ? kOver.size() : kCancelled.size());
  const char* const end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, news->job);
  return read.ec == std::errc() && read.ptr == end;
}

class Receiver final : public pqxx::notification_receiver {
 public:
  Receiver(pqxx::connection* connection,
           const std::function<void(const JobNews&)>& hear)
      : pqxx::notification_receiver(*connection, "bvhmill_jobs"), hear_(hear) {}

  void operator()(const std::string& text, int /*server*/) override {
    JobNews news;
    if (ReadNews(text, &news)) hear_(news);
  }

 private:
  const std::function<void(const JobNews&)>& hear_;
};

}  // namespace

std::string TextOf(const JobNews& news) {
  const std::string number = std::to_string(news.job);
  switch (news.kind) {
    case Kind::kOver:
      return std::string(kOver) + number;
    case Kind::kCancelled:
      return std::string(kCancelled) + number;
    default:
      return std::string(kItems);
  }
}

JobListener::JobListener(std::string address,
                         std::function<void(const JobNews&)> hear)
    : address_(std::move(address)),
      hear_(std::move(hear)),
      thread_([this](const std::stop_token& stop) { Run(stop); }) {}

void JobListener::Run(const std::stop_token& stop) {
  std::mutex mutex;
  std::condition_variable_any stopped;
  std::unique_lock lock(mutex);
  while (!stop.stop_requested()) {
    try {
      ListenOnce(stop);
    } catch (const std::exception&) {
      // The next connection begins with kMissed.
    }
    stopped.wait_for(lock, stop, kPause, [] { return false; });
  }
}

void JobListener::ListenOnce(const std::stop_token& stop) {
  pqxx::connection connection(address_);
  const Receiver receiver(&connection, hear_);
  StayLost(&connection);
  hear_({Kind::kMissed});
  while (!stop.stop_requested()) {
    connection.await_notification(0, kLookMicroseconds);
  }
}

}  // namespace bvhmill::server
