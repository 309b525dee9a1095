#pragma once

// Receives the news about jobs that the servers of a database send each other.

#include <functional>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>

#include "server/store/job_store.h"

namespace bvhmill::server {

// The text of a notification: "items", "over NUMBER" or "cancelled NUMBER".
// kMissed has no text: do not pass it.
std::string TextOf(const JobNews& news);
// Reads a text of TextOf. False if `text` is none; `news` is then not valid.
bool ReadNews(std::string_view text, JobNews* news);

// Listens on a connection of its own, in a thread of its own. If the connection
// is lost or cannot be made, tries again a second later; no error is reported.
// Each new connection begins with kMissed: news may have been lost before.
class JobListener {
 public:
  // `address` is a connection string or URI of libpq. The thread calls `hear`,
  // at times before the constructor returns. The destructor waits for the
  // thread: 0.2 s, or until a call of `hear` or an attempt to connect ends.
  JobListener(std::string address, std::function<void(const JobNews&)> hear);
  JobListener(const JobListener&) = delete;
  JobListener& operator=(const JobListener&) = delete;

 private:
  void Run(const std::stop_token& stop);
  void ListenOnce(const std::stop_token& stop);

  const std::string address_;
  const std::function<void(const JobNews&)> hear_;
  // The last member: it uses the others.
  std::jthread thread_;
};

}  // namespace bvhmill::server
