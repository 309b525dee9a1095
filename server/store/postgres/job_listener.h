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
std::string TextOf(const JobNews& news);
// Reads such a text. False if it is another one.
bool ReadNews(std::string_view text, JobNews* news);

// Listens on a connection of its own, in a thread of its own. Connects again,
// a second later, when the connection is lost. Each new connection begins with
// kMissed, since news may have been lost before.
class JobListener {
 public:
  // The thread calls `hear`. The destructor waits for it: for a fifth of a
  // second, or for a connection that is being made.
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
